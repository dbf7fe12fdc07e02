// A directory with 1,000 people and 200 groups: what a login and a refresh cost it. Only with all checks.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { refresh } from "../../src/user/sign_in/refresh.ts";
import { allChecks } from "../support/checks.ts";
import { aDirectory } from "../support/directory.ts";
import { api, service, stranger } from "../support/mod.ts";
import { GROUPS, PEOPLE, type Slapd, slapdWith } from "../support/slapd.ts";

setDefaultTimeout(180_000);

const NUMBER = 1_000;
const NUMBER_OF_GROUPS = 200;
const PASSWORD = "the password of a person";
let directory: Slapd;

const uuidOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** Each person is a member of ten groups. */
function ldif(): string {
  const people = Array.from(
    { length: NUMBER },
    (_, at) => `dn: uid=person${at},${PEOPLE}
objectClass: inetOrgPerson
uid: person${at}
cn: Person ${at}
sn: ${at}
entryUUID: ${uuidOf(at)}
userPassword: ${PASSWORD}
`,
  );
  const groups = Array.from({ length: NUMBER_OF_GROUPS }, (_, at) => {
    const members = Array.from(
      { length: (NUMBER * 10) / NUMBER_OF_GROUPS },
      (_, place) => `member: uid=person${(at + place * 20) % NUMBER},${PEOPLE}\n`,
    );
    return `dn: cn=group${at},${GROUPS}\nobjectClass: groupOfNames\ncn: group${at}\n${members.join("")}`;
  });
  return [...people, ...groups].join("\n");
}

describe.skipIf(!allChecks)("a directory with 1,000 people and 200 groups", () => {
  beforeAll(async () => {
    directory = await slapdWith(ldif());
  });

  async function connected(): Promise<void> {
    const { ldaps: url, ca } = directory;
    await aDirectory({ url, ca, group_base: GROUPS }, { "group1*": "network" });
  }

  test("is asked for four operations by a login, and for none by a request", async () => {
    await connected();
    const before = await directory.operations();
    const tokens: string[] = [];
    for (let at = 0; at < 20; at += 1) {
      const { body } = await api(stranger).post("/user/login", {
        username: `person${at * 50}`,
        password: PASSWORD,
      });
      tokens.push(body.access_token);
    }
    expect((await directory.operations()) - before).toBe(20 * 4);
    for (const token of tokens) {
      for (const path of ["/user/profile", "/network/hosts", "/inventory/items"]) {
        expect((await api({ token }).get(path)).status).toBe(200);
      }
    }
    expect((await directory.operations()) - before).toBe(20 * 4);
    const { sql } = await service();
    const [found] = await sql`
      select count(*)::int as people, min(cardinality(groups)) as least, max(cardinality(groups)) as most
      from identities`;
    expect(found).toEqual({ people: 20, least: 10, most: 10 });
  });

  test("is asked about everybody who is logged in by a refresh: two operations for each", async () => {
    await connected();
    const { sql } = await service();
    await sql`
      insert into users (username) select 'person' || at from generate_series(0, ${NUMBER - 1}) at`;
    await sql`
      insert into identities (provider_id, user_id, authority, subject, checked_at, confirmed_at)
      select identity_providers.id, users.id, 'entryuuid',
        '00000000-0000-4000-8000-' || lpad(substr(username, 7), 12, '0'),
        now() - interval '5 minutes', now() - interval '5 minutes'
      from users, identity_providers where username like 'person%'`;
    await sql`
      insert into sessions (user_id, secret_hash, expires_at)
      select user_id, sha256(subject::bytea), now() + interval '1 hour' from identities`;
    const before = await directory.operations();
    await refresh();
    const [found] = await sql`
      select count(*) filter (where confirmed_at > now() - interval '3 minutes')::int as confirmed,
        count(*) filter (where users.groups = '{network}')::int as mapped
      from identities join users on users.id = user_id`;
    expect(found).toEqual({ confirmed: NUMBER, mapped: expect.any(Number) });
    expect(found.mapped).toBeGreaterThan(NUMBER / 2);
    const asked = (await directory.operations()) - before;
    // And a bind for each 200 of them.
    expect(asked).toBe(2 * NUMBER + NUMBER / 200);
  });
});
