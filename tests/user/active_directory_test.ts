// What only Active Directory does, by a server that answers like one; and directories that misbehave.
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { withDirectory } from "../../src/user/sign_in/ldap_connection.ts";
import { aDirectory } from "../support/directory.ts";
import {
  bindAnswer,
  extendedAnswer,
  type FakeDirectory,
  fakeDirectory,
  OPERATIONS,
  searchAnswer,
} from "../support/fake_directory.ts";
import { alice, api, PASSWORD, service, stranger } from "../support/mod.ts";
import { READER } from "../support/slapd.ts";

setDefaultTimeout(60_000);

const DN = "CN=Erin Example,OU=People,DC=example,DC=org";
const SECRET = "the password of erin";
const GUID = Buffer.from("00112233445566778899aabbccddeeff", "hex");
const SID = Buffer.from("010500000000000515000000a065cf7e784b9b5fe77c8770" + "52040000", "hex");
const DOMAIN_USERS = Buffer.from(SID);
DOMAIN_USERS.writeUInt32LE(513, SID.length - 4);

let fake: FakeDirectory | undefined;
afterEach(() => fake?.close());

interface Behaviour {
  /** How the bind of the person is answered. */
  bind?: { code: number; said: string };
  attributes?: Record<string, Array<Buffer | string>>;
}

async function activeDirectory({ bind = { code: 0, said: "" }, attributes = {} }: Behaviour = {}) {
  fake = await fakeDirectory(({ tag, bytes }) => {
    const said = bytes.toString("latin1");
    if (tag === OPERATIONS.bind) {
      return said.includes(READER.password) ? bindAnswer(0) : bindAnswer(bind.code, bind.said);
    }
    if (tag !== OPERATIONS.search) return undefined;
    if (!said.includes("sAMAccountName")) {
      return searchAnswer({
        "CN=Net,DC=example,DC=org": {},
        "CN=Domain Users,DC=example,DC=org": {},
      });
    }
    return searchAnswer({
      [DN]: {
        sAMAccountName: ["Erin"],
        displayName: ["Erin Example"],
        objectGUID: [GUID],
        objectSid: [SID],
        primaryGroupID: ["513"],
        userAccountControl: ["512"],
        accountExpires: ["9223372036854775807"],
        memberOf: ["CN=Direct,DC=example,DC=org"],
        ...attributes,
      },
    });
  });
  const url = `ldap://127.0.0.1:${fake.port}`;
  const settings = { url, send_passwords_without_encryption: true, is_active_directory: true };
  await aDirectory(settings, { net: "network", "domain users": "inventory", direct: "auditor" });
  return fake;
}

function logIn(username = "erin", password = SECRET) {
  return api(stranger).post("/user/login", { username, password });
}

describe("Active Directory", () => {
  test("gives nested groups and the primary group in one search, and a person by objectGUID", async () => {
    const directory = await activeDirectory();
    expect((await logIn()).status).toBe(200);
    const { received, operations, connections } = directory;
    expect([operations, connections]).toEqual([4, 1]);
    expect(received).toContain("1.2.840.113556.1.4.1941");
    expect(received).toContain(DOMAIN_USERS.toString("latin1"));
    const { sql } = await service();
    const [found] = await sql`
      select username, users.groups, subject, authority from users join identities on user_id = users.id`;
    expect(found).toEqual({
      username: "erin",
      groups: ["auditor", "inventory", "network"],
      subject: GUID.toString("hex"),
      authority: "objectguid",
    });
  });

  test.each([
    ["532", "Your password has expired: change it first"],
    ["533", "Your account is disabled"],
    ["701", "Your account has expired"],
    ["773", "You have to change your password first"],
    ["775", "Your account is locked"],
    ["52e", "Invalid credentials"],
  ])("refuses with the code %s by a sentence", async (code, sentence) => {
    const said = `80090308: LdapErr: DSID-0C090400, comment: AcceptSecurityContext error, data ${code}, v1db1`;
    await activeDirectory({ bind: { code: 49, said } });
    const { status, body } = await logIn();
    expect([status, body.message]).toEqual([401, sentence]);
    expect(await (await service()).sql`select from login_failures`).toHaveLength(1);
  });

  test.each([
    ["disabled", { userAccountControl: ["514"] }],
    ["expired", { accountExpires: ["130000000000000000"] }],
  ])("does not let in an account that is %s, whatever the bind says", async (_, attributes) => {
    await activeDirectory({ attributes });
    expect((await logIn()).status).toBe(401);
  });
});

describe("a directory that misbehaves", () => {
  test("gets no password when it refuses STARTTLS", async () => {
    fake = await fakeDirectory(({ tag }) =>
      tag === OPERATIONS.extended ? extendedAnswer(2) : bindAnswer(0),
    );
    await aDirectory({ url: `ldap://127.0.0.1:${fake.port}` });
    expect((await logIn()).status).toBe(503);
    expect(fake.received).not.toContain(SECRET);
    expect(fake.received).not.toContain(READER.password);
    expect(fake.connections).toBe(1);
  });

  test("is not connected to again when it hangs up: that connection would not be encrypted", async () => {
    fake = await fakeDirectory(() => [...bindAnswer(0), "hang up"]);
    const url = `ldap://127.0.0.1:${fake.port}`;
    const settings = { url, send_passwords_without_encryption: true, base: "dc=example,dc=org" };
    const working = withDirectory(settings, async (client) => {
      await client.bind(READER.dn, READER.password);
      while (client.isConnected) await Bun.sleep(5);
      await client.bind(DN, SECRET);
    });
    expect((await working.catch((error) => error)).message).toBe("The connection was lost");
    expect(fake.connections).toBe(1);
    expect(fake.received).not.toContain(SECRET);
  });

  test("gets no password of a local account", async () => {
    fake = await fakeDirectory(() => undefined);
    await aDirectory({
      url: `ldap://127.0.0.1:${fake.port}`,
      send_passwords_without_encryption: true,
    });
    expect((await logIn("bob", "a wrong password")).status).toBe(401);
    expect((await logIn("bob", PASSWORD)).status).toBe(200);
    expect(fake.connections).toBe(0);
  });

  test("and never answers is given up, while others log in", async () => {
    fake = await fakeDirectory(() => undefined);
    await aDirectory({
      url: `ldap://127.0.0.1:${fake.port}`,
      send_passwords_without_encryption: true,
    });
    const waiting = [logIn(), logIn("emily")];
    expect((await logIn("bob", PASSWORD)).status).toBe(200);
    const answers = await Promise.all(waiting);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    const { body } = await api(alice).get("/audit?event=login.failed");
    expect(body).toHaveLength(2);
  });
});
