// Tests a provider for an admin: what it says about one person, and what would follow. Nobody is logged in, and nothing
// is stored except that it was tested.

import { auditCaller } from "../../auth/audit.ts";
import { addLimited } from "../../auth/audit_limits.ts";
import { type Caller, requireAdmin, type UserGroup } from "../../auth/auth.ts";
import { accountPreview } from "./accounts.ts";
import type { DirectoryPerson } from "./directory.ts";
import { SignInFailed } from "./failure.ts";
import { authenticate } from "./ldap.ts";
import {
  groupsOf,
  type MappedGroup,
  type MappedRight,
  mappedGroups,
  mappedRights,
} from "./mapping.ts";
import type { ExternalPerson, LdapProvider, Provider } from "./provider.ts";

export interface TestedPerson {
  person: ExternalPerson;
  /** What the provider sent, by where it stood. */
  parts: Readonly<Record<string, unknown>>;
}

export interface LoginPreview extends TestedPerson {
  username: string;
  exists: boolean;
  mayEnter: boolean;
  groups: UserGroup[];
  mapped: MappedGroup[];
  rights: MappedRight[];
}

export async function tested(
  caller: Caller,
  provider: Provider,
  ask: () => Promise<TestedPerson>,
): Promise<LoginPreview> {
  requireAdmin(caller);
  const note = (details: Record<string, string>) =>
    addLimited({
      event: "provider.tested",
      ...auditCaller(caller),
      target: provider.name,
      details,
    });
  const answer = await ask().catch(async (error) => {
    if (error instanceof SignInFailed) await note({ result: error.details.reason });
    throw error;
  });
  const { person } = answer;
  const mapped = mappedGroups(provider, person.groups);
  const groups = groupsOf(mapped);
  const rights = mappedRights(provider, person.groups);
  const mayEnter =
    groups.length > 0 || rights.length > 0 || provider.settings.needs_group === false;
  await note({ subject: person.subject, groups: groups.join(", ") });
  return {
    ...answer,
    ...(await accountPreview(provider, person)),
    mayEnter,
    groups,
    mapped,
    rights,
  };
}

/** The person in a directory, or why not. */
export async function authenticatedPerson(
  provider: LdapProvider,
  pair: { username: string; password: string },
): Promise<DirectoryPerson> {
  const found = await authenticate(provider, pair);
  if (found && !("problem" in found)) return found;
  const reason = found?.problem ?? "the directory has no such person, or the password is wrong";
  throw new SignInFailed(401, `${provider.name} did not confirm this person`, {
    provider: provider.name,
    reason,
  });
}
