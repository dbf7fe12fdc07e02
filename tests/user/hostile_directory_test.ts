// Directories that fail, lie or attack.
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Socket } from "node:net";
import { refresh } from "../../src/user/sign_in/refresh.ts";
import { aDirectory } from "../support/directory.ts";
import {
  bindAnswer,
  extendedAnswer,
  type FakeDirectory,
  fakeDirectory,
  message,
  OPERATIONS,
  searchAnswer,
} from "../support/fake_directory.ts";
import { captureLog } from "../support/log_capture.ts";
import { alice, api, PASSWORD, service, stranger } from "../support/mod.ts";
import { PEOPLE, READER } from "../support/slapd.ts";

setDefaultTimeout(60_000);

const SECRET = "the password of erin";
const MIB = 1024 * 1024;

type Respond = Parameters<typeof fakeDirectory>[0];
type Operation = Parameters<Respond>[0];

const fakes: FakeDirectory[] = [];
afterEach(() => {
  for (const fake of fakes.splice(0)) fake.close();
});

/** An enabled directory that answers so, without encryption unless the settings say so. */
async function directory(respond: Respond, settings: object = {}, key = "directory") {
  const fake = await fakeDirectory(respond);
  fakes.push(fake);
  const url = `ldap://127.0.0.1:${fake.port}`;
  await aDirectory({ url, send_passwords_without_encryption: true, ...settings }, {}, { key });
  return fake;
}

/** Knows erin1, erin2 and so on, each with the password SECRET. */
function people(said = new Map<string, string[]>()): Respond {
  return ({ tag, bytes }) => {
    const text = bytes.toString("latin1");
    if (tag === OPERATIONS.bind) {
      const isRight = text.includes(READER.password) || text.includes(SECRET);
      return bindAnswer(isRight ? 0 : 49);
    }
    if (tag !== OPERATIONS.search) return undefined;
    const [uid] = /erin\d/.exec(text) ?? [];
    if (!uid || text.includes("uniqueMember")) return searchAnswer({});
    const entryUUID = said.get(uid) ?? [`uuid-of-${uid}`];
    return searchAnswer({ [`uid=${uid},${PEOPLE}`]: { uid: [uid], entryUUID } });
  };
}

function logIn(username = "erin1", password = SECRET) {
  return api(stranger).post("/user/login", { username, password });
}

async function everybodyIsDue(): Promise<void> {
  const { sql } = await service();
  await sql`update identities set checked_at = now() - interval '5 minutes'`;
}

async function reasons(): Promise<string[]> {
  const { body } = await api(alice).get("/audit?event=login.failed");
  return body.map(({ details }: any) => details.reason);
}

describe("a directory that attacks", () => {
  function endless(bytes: Buffer) {
    return ({ tag, socket }: Operation) => {
      if (tag !== OPERATIONS.search) return bindAnswer(0);
      send(socket, bytes);
      return undefined;
    };
  }

  /** As fast as the other side reads, until it hangs up or has taken far more than any answer. */
  function send(socket: Socket, bytes: Buffer): void {
    sent = 0;
    const pump = () => {
      while (!socket.destroyed && sent < 500 * MIB) {
        sent += bytes.length;
        if (!socket.write(bytes)) break;
      }
    };
    socket.on("drain", pump);
    pump();
  }
  let sent = 0;

  const entry = (dn: string) => searchAnswer({ [dn]: {} })[0] ?? Buffer.alloc(0);
  const tiny = Buffer.concat(Array.from({ length: 100_000 }, () => message(3, entry("a"))));
  test.each([
    ["entries without end", message(3, entry("a".repeat(60_000)))],
    ["tiny entries, many at once", tiny],
    ["one message without end", Buffer.concat([Buffer.from("30847fffffff", "hex"), tiny])],
    ["what is not LDAP", Buffer.alloc(64 * 1024, "HTTP/1.1 200 OK\r\n")],
  ])("by %s is given up soon", async (_, bytes) => {
    await directory(endless(bytes));
    expect((await logIn()).status).toBe(503);
    expect(sent).toBeLessThan(64 * MIB);
    expect(await reasons()).toEqual([expect.stringMatching(/too long|does not speak LDAP/)]);
    expect((await logIn("bob", PASSWORD)).status).toBe(200);
  });

  test("cannot say before TLS what counts after it", async () => {
    const fake = await directory(
      ({ id, tag, socket }) => {
        if (tag !== OPERATIONS.extended) return undefined;
        const [answer] = extendedAnswer(0);
        const [bind] = bindAnswer(0);
        if (answer && bind) {
          const later = message(id + 1, bind);
          socket.write(Buffer.concat([message(id, answer), later.subarray(0, later.length - 1)]));
        }
        return undefined;
      },
      { send_passwords_without_encryption: false },
    );
    expect((await logIn()).status).toBe(503);
    expect(await reasons()).toEqual([expect.stringContaining("before TLS")]);
    expect(fake.received).not.toContain(READER.password);
  });
});

describe("what a directory gets", () => {
  test("is no password for a name that it does not know, and as many operations", async () => {
    const fake = await directory(people(), { group_base: PEOPLE });
    expect((await logIn("stranger", SECRET)).status).toBe(401);
    const unknown = fake.operations;
    expect(fake.received).not.toContain(SECRET);
    expect((await logIn("erin1", "a wrong password")).status).toBe(401);
    expect([unknown, fake.operations - unknown]).toEqual([4, 4]);
  });
});

describe("the log", () => {
  test("has no password, whatever the directory answers", async () => {
    const codes = [0, 49, 51];
    const known = people();
    await directory((operation) => {
      const isPerson = operation.tag === OPERATIONS.bind && operation.bytes.includes(SECRET);
      return isPerson ? bindAnswer(codes.shift() ?? 0, SECRET) : known(operation);
    });
    const log = await captureLog(async () => {
      for (const status of [200, 401, 503]) expect((await logIn()).status).toBe(status);
    });
    expect(log).toContain("/user/login");
    const { sql } = await service();
    const [found] = await sql`select json_agg(audit_log)::text as entries from audit_log`;
    expect(found.entries).toContain("login.failed");
    for (const text of [log, found.entries]) {
      expect(text).not.toContain(READER.password);
      expect(text).not.toContain(SECRET);
    }
  });
});

describe("an answer of a directory", () => {
  test.each([
    ["busy", 51],
    ["stronger authentication required", 8],
  ])("that is %s says nothing about the password", async (_, code) => {
    const known = people();
    await directory((operation) => {
      const isPerson = operation.bytes.includes(SECRET);
      return isPerson && operation.tag === OPERATIONS.bind ? bindAnswer(code) : known(operation);
    });
    expect((await logIn()).status).toBe(503);
    expect(await (await service()).sql`select from login_failures`).toHaveLength(0);
  });

  test("may have any characters", async () => {
    const said = "80090308: LdapErr: DSID-0C090400, data 52e, v1db1\0\ud800";
    await directory(() => bindAnswer(49, said));
    expect((await logIn()).status).toBe(503);
    expect(await reasons()).toEqual([expect.stringContaining("data 52e")]);
  });

  test.each([
    ["a control character", ["a\0b"]],
    ["too many characters", ["x".repeat(3_000)]],
  ])("with a subject that has %s makes no account", async (_, entryUUID) => {
    await directory(people(new Map([["erin1", entryUUID]])));
    const { status, body } = await logIn();
    expect([status, body.message]).toEqual([503, expect.stringContaining("cannot be used")]);
    expect(await (await service()).sql`select from identities`).toHaveLength(0);
  });
});

describe("a directory that never answers", () => {
  test("holds up one login, not those that another directory answers", async () => {
    const mute = await directory(() => undefined, {}, "a-mute-one");
    await directory(people(), {}, "b-that-answers");
    expect((await logIn()).status).toBe(200);
    const { connections } = mute;
    const names = Array.from({ length: 6 }, (_, at) => `erin${at + 1}`);
    const answers = await Promise.all(names.map((name) => logIn(name)));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(mute.connections - connections).toBeLessThanOrEqual(1);
  });

  test("is not asked by a request of a person who is logged in", async () => {
    const fake = await directory(people());
    const { body } = await logIn();
    const { operations } = fake;
    for (const path of ["/user/profile", "/network/hosts", "/user/tokens"]) {
      expect((await api({ token: body.access_token }).get(path)).status).toBe(200);
    }
    expect(fake.operations).toBe(operations);
  });
});

describe("a refresh", () => {
  async function logInThree(): Promise<void> {
    for (const uid of ["erin1", "erin2", "erin3"]) expect((await logIn(uid)).status).toBe(200);
    await everybodyIsDue();
  }

  async function confirmed(): Promise<string[]> {
    const { sql } = await service();
    const found = await sql`
      select username from identities join users on users.id = user_id
      where confirmed_at > now() - interval '2 minutes' order by username`;
    return found.map(({ username }: any) => username);
  }

  async function forgetConfirmations(): Promise<void> {
    await (await service()).sql`update identities set confirmed_at = now() - interval '1 hour'`;
  }

  test("is not stopped by one person about whom the directory says nonsense", async () => {
    const known = people();
    let isTwice = false;
    await directory((operation) => {
      const isErin2 = operation.bytes.includes("uuid-of-erin2");
      if (!isTwice || !isErin2) return known(operation);
      return searchAnswer({ [`uid=x,${PEOPLE}`]: {}, [`uid=y,${PEOPLE}`]: {} });
    });
    await logInThree();
    await forgetConfirmations();
    isTwice = true;
    await refresh();
    expect(await confirmed()).toEqual(["erin1", "erin3"]);
  });

  test("keeps what it knows when the directory hangs up in between, and asks the others soon", async () => {
    const known = people();
    let left = Number.POSITIVE_INFINITY;
    await directory((operation) => {
      if (operation.tag === OPERATIONS.search) left -= 1;
      return left < 0 ? ["hang up"] : known(operation);
    });
    await logInThree();
    await forgetConfirmations();
    left = 1;
    await refresh();
    expect(await confirmed()).toHaveLength(1);
    const { sql } = await service();
    const [waiting] = await sql`
      select count(*)::int as soon from identities
      where checked_at between now() - interval '4 minutes' and now() - interval '3 minutes'`;
    expect(waiting.soon).toBe(2);
  });

  test("by two instances at once asks about each person once", async () => {
    const fake = await directory(people());
    await logInThree();
    const { operations } = fake;
    await Promise.all([refresh(), refresh()]);
    // A bind of each instance that found somebody, and a search for each person.
    expect(fake.operations - operations).toBeOneOf([4, 5]);
  });

  test("knows a person whose subject the directory writes in other letters", async () => {
    const said = new Map<string, string[]>();
    await directory(people(said), { subject_attribute: "entryUUID" });
    await logInThree();
    await forgetConfirmations();
    for (const uid of ["erin1", "erin2", "erin3"]) said.set(uid, [`UUID-OF-${uid}`]);
    await refresh();
    expect(await confirmed()).toHaveLength(3);
  });
});
