// Reads what a provider of OpenID Connect says about a person. Some providers put groups only into the ID token, others
// only into userinfo.
import { OIDC_DEFAULTS, type OidcSettings } from "./provider.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** Longer lists of groups are a mistake of the settings, and would be stored with each person. */
const MOST_GROUPS = 2_000;
const LONGEST_GROUP = 300;

/** The value of a claim: by its name, which may contain dots, or by a path such as realm_access.roles. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

export function groupsIn(
  { groups_claim = OIDC_DEFAULTS.groups_claim }: OidcSettings,
  places: readonly Claims[],
): string[] {
  const found = places.flatMap((claims) => namesIn(claimAt(claims, groups_claim)));
  return [...new Set(found)].slice(0, MOST_GROUPS);
}

/** A list of names, or one name. */
function namesIn(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.filter(
    (one): one is string => typeof one === "string" && one !== "" && one.length <= LONGEST_GROUP,
  );
}

/** The first text under this claim; a later place is more recent. */
export function textIn(places: readonly Claims[], path: string): string | undefined {
  const texts = places.map((claims) => claimAt(claims, path));
  return texts.findLast((text): text is string => typeof text === "string" && text.trim() !== "");
}
