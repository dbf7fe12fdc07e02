// Reads what a provider of OpenID Connect says about a person. Some providers put groups only into the ID token, others
// only into userinfo.
import { DEEPEST } from "../../input/limits.ts";
import { OIDC_DEFAULTS, type OidcSettings } from "./provider.ts";

export type Claims = Readonly<Record<string, unknown>>;

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
  return places.flatMap((claims) => namesIn(claimAt(claims, groups_claim)));
}

/** A list of names, or one name. */
function namesIn(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((one): one is string => typeof one === "string");
}

/** The first text under this claim; a later place is more recent. */
export function textIn(places: readonly Claims[], path: string): string | undefined {
  const texts = places.map((claims) => claimAt(claims, path));
  return texts.findLast((text): text is string => typeof text === "string" && text.trim() !== "");
}

/** Refuses claims so deep that nothing could show them. */
export function requireShallow(claims: Claims): void {
  let level: unknown[] = [claims];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw new Error("The claims are nested too deep");
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
}
