// What a user may do, and why: each group and each right by scope, with the admin or the mapping that it comes from.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, GROUPS, requireAdmin, type UserGroup } from "../../auth/auth.ts";
import type { RightKind } from "../../auth/rights.ts";
import { notFound } from "../../input/errors.ts";
import { mappedGroups, mappedRights } from "../sign_in/mapping.ts";
import type { Mapping, ProviderKind, RightMapping } from "../sign_in/provider.ts";
import { mappingsOf, rightMappingsOf } from "../sign_in/stored_mappings.ts";
import { rightInWords, rightKind } from "./place.ts";
import { rightsOf } from "./rights.ts";

const reason = Type.Object({
  given_by: Type.Union([Type.String(), Type.Null()], {
    description: "The admin who gave it, if it does not come from a provider",
  }),
  provider: Type.Union([Type.String(), Type.Null()]),
  outer_group: Type.Union([Type.String(), Type.Null()], {
    description: "The group of the provider that leads to it",
  }),
  mapping: Type.Union([Type.String(), Type.Null()], {
    description: "The mapping that the group fits: a group, or a pattern",
  }),
});

export const explanation = Type.Object({
  user: Type.String(),
  groups: Type.Array(
    Type.Object({
      group: Type.Union(GROUPS.map((group) => Type.Literal(group))),
      because: Type.Array(reason),
    }),
    { description: "They hold everywhere" },
  ),
  rights: Type.Array(
    Type.Object({
      id: Type.Integer(),
      right: rightKind,
      place: Type.String(),
      because: Type.Array(reason),
    }),
    { description: "They hold in one place" },
  ),
});

export interface RightReason {
  given_by: string | null;
  provider: string | null;
  outer_group: string | null;
  mapping: string | null;
}

export interface Explanation {
  user: string;
  groups: Array<{ group: UserGroup; because: RightReason[] }>;
  rights: Array<{ id: number; right: RightKind; place: string; because: RightReason[] }>;
}

/** For admins. The limits of tokens are with the tokens. */
export async function explain(caller: Caller, user: number): Promise<Explanation> {
  requireAdmin(caller);
  const found = await database.row<{
    username: string;
    groups: UserGroup[];
    by: string | null;
  }>(sql`
    select username, groups, (
      select audit_log.username from audit_log
      where target = users.username and event in ('user.created', 'user.changed') and details ? 'groups'
        and audit_log.user_id is not null
      order by audit_log.id desc limit 1) as by
    from users where id = ${user} and deactivated_at is null`);
  if (!found) throw notFound();
  const [identities, rights] = await Promise.all([identitiesOf(user), rightsOf(user)]);
  const groups = found.groups.map((group) => {
    const because = identities.flatMap((one) =>
      mappedGroups(one, one.groups)
        .filter((mapped) => mapped.group === group)
        .map((mapped) => mappedReason(one, mapped)),
    );
    return { group, because: because.length > 0 ? because : [givenBy(found.by)] };
  });
  return {
    user: found.username,
    groups,
    rights: rights.map((right) => {
      const provided = identities
        .filter(({ id }) => id === right.provider_id)
        .flatMap((one) =>
          mappedRights(one, one.groups)
            .filter((mapped) => rightInWords(mapped.right) === rightInWords(right))
            .map((mapped) => mappedReason(one, mapped)),
        );
      const because = right.provider_id === null ? [givenBy(right.given_by)] : provided;
      return { id: right.id, right: right.kind, place: right.place, because };
    }),
  };
}

interface Identity {
  id: number;
  name: string;
  kind: ProviderKind;
  /** The groups at the provider, when they were last read. */
  groups: string[];
  mappings: Mapping[];
  rights: RightMapping[];
}

async function identitiesOf(user: number): Promise<Identity[]> {
  const found = await database.rows<Omit<Identity, "mappings" | "rights">>(sql`
    select identity_providers.id, name, kind, identities.groups
    from identities join identity_providers on identity_providers.id = provider_id
    where user_id = ${user} order by identities.id`);
  return Promise.all(
    found.map(async (one) => ({
      ...one,
      mappings: await mappingsOf(one.id),
      rights: await rightMappingsOf(one.id),
    })),
  );
}

interface MappedBecause {
  because_of: string;
  rule: { outer_group: string };
}

function mappedReason({ name }: Identity, { because_of, rule }: MappedBecause): RightReason {
  return { given_by: null, provider: name, outer_group: because_of, mapping: rule.outer_group };
}

function givenBy(admin: string | null): RightReason {
  return { given_by: admin, provider: null, outer_group: null, mapping: null };
}
