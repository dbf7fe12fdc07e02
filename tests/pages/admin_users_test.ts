import { describe, expect, test } from "bun:test";
import type { Answer } from "../support/api.ts";
import { type Browser, browser, logIn } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  alice,
  api,
  aUser,
  audrey,
  bob,
  carol,
  dave,
  idOf,
  PASSWORD,
  service,
  stranger,
} from "../support/mod.ts";

const NEW = "a rather different password";
const VIEW = "/admin/users/view";
const ERIN = { username: "erin", password: PASSWORD, display_name: "Erin", email: "", groups: "" };

function act(own: Browser, username: string, action: string): Promise<Answer> {
  return own.submit("/admin/users/action", { username, action, confirmed: "true" });
}

async function statusOfLogin(username: string, password: string): Promise<number> {
  return (await api(stranger).post("/user/login", { username, password })).status;
}

describe("the pages of admins", () => {
  const PATHS = [
    "/admin",
    "/admin/users",
    "/admin/users/_names",
    "/admin/users/create",
    "/admin/users/view/bob",
    "/admin/users/view/nobody",
    "/admin/users/edit/bob",
    "/admin/tokens",
    "/admin/jobs",
    "/admin/system",
  ];

  test("are for admins only, whether the record exists or not", async () => {
    for (const person of [audrey, bob, carol, dave]) {
      const own = await browser(person);
      for (const path of PATHS) {
        const { status } = await own.get(path);
        expect([person.username, path, status]).toEqual([person.username, path, 403]);
      }
      for (const path of ["users/action", "users/create", "tokens/revoke", "jobs/cancel"]) {
        const { status } = await own.submit(`/admin/${path}`, { username: "bob" });
        expect([person.username, path, status]).toEqual([person.username, path, 403]);
      }
    }
    const nobody = await browser(stranger);
    for (const path of PATHS) expect((await nobody.get(path)).status, path).toBe(303);
  });

  test("are shown to admins, and return 404 for unknown users", async () => {
    const own = await browser(alice);
    for (const path of PATHS) {
      const { status } = await own.get(path);
      expect([path, status]).toEqual([path, path.endsWith("nobody") ? 404 : 200]);
    }
    expect((await own.get("/admin")).text).toContain("5 active users, 0 deactivated");
  });
});

describe("GET /admin/users", () => {
  test("searches, filters, sorts and pages, and shows deactivated users", async () => {
    const own = await browser(alice);
    await aUser({ username: "erin", display_name: "Erin Example", groups: ["network"] });
    await act(own, "carol", "deactivate");
    const listed = async (query: string) =>
      texts((await own.get(`/admin/users${query}`)).text, "a.open");
    expect(await listed("")).toEqual(["alice", "audrey", "bob", "carol", "dave", "erin"]);
    expect(await listed("?q=example")).toEqual(["erin"]);
    expect(await listed("?groups=network")).toEqual(["dave", "erin"]);
    expect(await listed("?state=deactivated")).toEqual(["carol"]);
    expect(await listed("?sort=-username&per_page=2&page=2")).toEqual(["carol", "bob"]);
  });

  test("shows when and how users were last active", async () => {
    const own = await browser(alice);
    await api(bob).get("/user/profile");
    const { text } = await own.get("/admin/users?q=bob&cols=last_seen&cols=last_seen_from");
    expect(texts(text, "td[data-label='Seen from']")).toEqual(["127.0.0.1"]);
    const [seen] = elements(text, "td[data-label='Last seen'] time");
    expect(seen?.attributes.title).toMatch(/^20\d\d-.* UTC$/);
    expect(
      texts((await own.get("/admin/users?q=dave")).text, "td[data-label='Last seen']"),
    ).toEqual(["never"]);
  });
});

describe("POST /admin/users/create", () => {
  test("creates a user with groups who can log in", async () => {
    const own = await browser(alice);
    const made = await own.submit("/admin/users/create", { ...ERIN, groups: "network" });
    expect([made.status, made.headers.get("location")]).toEqual([303, `${VIEW}/erin`]);
    expect(await statusOfLogin("erin", PASSWORD)).toBe(200);
    const { body } = await api(alice).get("/user/users?username=erin");
    expect(body[0]).toMatchObject({ display_name: "Erin", email: null, groups: ["network"] });
  });

  test("shows all errors at once, and never the password", async () => {
    const own = await browser(alice);
    const fields = {
      ...ERIN,
      username: "<b>x</b>",
      password: "short",
      email: "no",
      groups: "root",
    };
    const { status, text } = await own.submit("/admin/users/create", fields);
    expect(status).toBe(422);
    expect(texts(text, ".error")).toHaveLength(4);
    expect(text).not.toContain("<b>x</b>");
    expect(text).not.toContain('"short"');
    const taken = await own.submit("/admin/users/create", { ...ERIN, username: "Bob" });
    expect([taken.status, texts(taken.text, "#error-field-username")]).toEqual([
      422,
      ["This username is taken"],
    ]);
    expect(elements(taken.text, "#field-password")[0]!.attributes.value).toBeUndefined();
  });
});

describe("POST /admin/users/edit", () => {
  test("changes details and groups, which hold at once", async () => {
    const own = await browser(alice);
    const { text } = await own.get("/admin/users/edit/bob");
    const [version] = elements(text, "input[name=version]");
    expect(elements(text, "input[name=groups][checked]")).toHaveLength(1);
    const fields = { version: version!.attributes.value!, display_name: "Bob B", email: "" };
    const saved = await own.submit("/admin/users/edit/bob", { ...fields, groups: "" });
    expect(saved.headers.get("location")).toBe(`${VIEW}/bob`);
    expect((await api(bob).post("/inventory/locations", { name: "Hall 1" })).status).toBe(403);
    expect((await api(alice).get("/user/users?username=bob")).body[0]).toMatchObject({
      display_name: "Bob B",
      groups: [],
    });
  });

  test("shows the changes of both where somebody else has saved first", async () => {
    const own = await browser(alice);
    const { text } = await own.get("/admin/users/edit/bob");
    const version = elements(text, "input[name=version]")[0]!.attributes.value!;
    await api(alice).patch(`/user/users/${await idOf(bob)}`, { display_name: "Robert" });
    const fields = { version, display_name: "", email: "bob@example.org", groups: "network" };
    const late = await own.submit("/admin/users/edit/bob", fields);
    expect(late.status).toBe(412);
    expect(texts(late.text, ".note.warn td")).toContain("Robert");
    expect((await api(alice).get("/user/users?username=bob")).body[0].email).toBe(null);
    const next = elements(late.text, "input[name=version]")[0]!.attributes.value!;
    const merged = await own.submit("/admin/users/edit/bob", { ...fields, version: next });
    expect(merged.status).toBe(303);
  });
});

describe("deactivation", () => {
  test("ends every session and token at once, and activation brings none back", async () => {
    const own = await browser(alice);
    const his = await browser(bob);
    const { token } = (await api(bob).post("/user/tokens", {})).body;
    expect((await his.get("/user/profile")).status).toBe(200);
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
    const asked = await own.submit("/admin/users/action", {
      username: "bob",
      action: "deactivate",
    });
    expect([asked.status, texts(asked.text, "h1")]).toEqual([200, ["Deactivate bob?"]]);
    expect((await his.get("/user/profile")).status).toBe(200);
    expect((await act(own, "bob", "deactivate")).status).toBe(303);
    const isOut = async () => {
      expect((await his.get("/user/profile")).status).toBe(303);
      expect((await api({ token }).get("/user/profile")).status).toBe(401);
      expect((await api(bob).get("/user/profile")).status).toBe(401);
    };
    await isOut();
    expect(await statusOfLogin("bob", PASSWORD)).toBe(401);
    expect((await own.get("/admin/users/edit/bob")).status).toBe(422);
    expect((await act(own, "bob", "activate")).status).toBe(303);
    await isOut();
    expect(await statusOfLogin("bob", PASSWORD)).toBe(200);
  });

  test("is refused for the last admin, by the button and by the form", async () => {
    const own = await browser(alice);
    const gone = await act(own, "alice", "deactivate");
    expect([gone.status, texts(gone.text, ".note.bad")]).toEqual([
      422,
      ["At least one admin must remain"],
    ]);
    const edit = { display_name: "", email: "", groups: "auditor" };
    const demoted = await own.submit("/admin/users/edit/alice", edit);
    expect([demoted.status, texts(demoted.text, ".error")]).toEqual([
      422,
      ["At least one admin must remain"],
    ]);
    expect((await own.get("/admin")).status).toBe(200);
  });

  test.each([
    ["/admin/users/action", { action: "deactivate", confirmed: "true" }],
    ["/admin/users/edit/", { display_name: "", email: "", groups: "" }],
  ])("by two who do it to each other at the same moment leaves one: %s", async (path, fields) => {
    const pair = [
      { username: "ada", groups: ["admin"] },
      { username: "bea", groups: ["admin"] },
    ];
    for (const one of pair) await aUser(one);
    const [first, second] = [await logIn(pair[0]!), await logIn(pair[1]!)];
    await api(alice).patch(`/user/users/${await idOf(alice)}`, { groups: [] });
    const end = (own: Browser, username: string) =>
      own.submit(path.endsWith("/") ? path + username : path, { ...fields, username });
    const answers = await bothWaiting(() => [end(first, "bea"), end(second, "ada")]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 422]);
    expect((await api(audrey).get("/user/users?groups=admin")).body).toHaveLength(1);
  });
});

/** Runs two requests until both have changed their rows: the lock lets neither of them finish before the other. */
async function bothWaiting(ask: () => [Promise<Answer>, Promise<Answer>]): Promise<Answer[]> {
  const { sql } = await service();
  const asked = await sql.begin(async (tx) => {
    await tx`lock table sessions, audit_log in share mode`;
    const both = ask();
    for (let waiting = 0, tries = 0; waiting < 2 && tries < 400; tries += 1) {
      await Bun.sleep(5);
      [{ waiting }] = await sql`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
    }
    return { both };
  });
  return Promise.all(asked.both);
}

describe("a password that an admin sets", () => {
  const path = "/admin/users/password/bob";

  test("ends the sessions, and the personal tokens if that is wanted", async () => {
    const own = await browser(alice);
    const his = await browser(bob);
    const { token } = (await api(bob).post("/user/tokens", {})).body;
    expect((await own.submit(path, { password: NEW })).status).toBe(303);
    expect((await his.get("/user/profile")).status).toBe(303);
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
    expect(await statusOfLogin("bob", PASSWORD)).toBe(401);
    expect(await statusOfLogin("bob", NEW)).toBe(200);
    await own.submit(path, { password: NEW, end_tokens: "true" });
    expect((await api({ token }).get("/user/profile")).status).toBe(401);
  });

  test.each(["short", "passwordpassword", "long", ""])(
    "is refused if it is weak: %p",
    async (which) => {
      const password = which === "long" ? "x".repeat(1_025) : which;
      const own = await browser(alice);
      const { status, text } = await own.submit(path, { password });
      expect(status).toBe(422);
      expect(texts(text, "#error-pw-password")).toHaveLength(1);
      if (password) expect(text).not.toContain(`"${password}"`);
      expect(await statusOfLogin("bob", PASSWORD)).toBe(200);
    },
  );

  test("is not a way around the current password of one's own", async () => {
    const own = await browser(alice);
    const { status } = await own.submit("/admin/users/password/alice", { password: NEW });
    expect(status).toBe(422);
    expect(await statusOfLogin("alice", PASSWORD)).toBe(200);
  });
});

describe("POST /admin/users/action", () => {
  test("ends sessions and tokens separately", async () => {
    const own = await browser(alice);
    const his = await browser(bob);
    const { token } = (await api(bob).post("/user/tokens", { description: "Copy" })).body;
    const { text } = await own.get(`${VIEW}/bob`);
    expect(texts(text, "td[data-label=Description]")).toEqual(["Copy"]);
    expect(text).not.toContain(token);
    await act(own, "bob", "end_tokens");
    expect((await api({ token }).get("/user/profile")).status).toBe(401);
    expect((await his.get("/user/profile")).status).toBe(200);
    await act(own, "bob", "end_sessions");
    expect((await his.get("/user/profile")).status).toBe(303);
    expect((await api(bob).get("/user/profile")).status).toBe(401);
  });

  test("refuses invalid actions and unknown users", async () => {
    const own = await browser(alice);
    expect((await act(own, "bob", "promote")).status).toBe(422);
    expect((await act(own, "bob", "activate")).status).toBe(422);
    expect((await act(own, "nobody", "deactivate")).status).toBe(404);
    expect((await act(own, "\u0000", "deactivate")).status).toBe(404);
  });
});
