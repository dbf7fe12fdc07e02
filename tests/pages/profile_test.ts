import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  alice,
  api,
  aScope,
  bob,
  carol,
  idOf,
  PASSWORD,
  type Person,
  service,
  visit,
} from "../support/mod.ts";

const NEW = "a rather different password";

async function makeToken(
  own: Awaited<ReturnType<typeof browser>>,
  fields: Record<string, string> = {},
) {
  const made = await own.submit("/user/profile", {
    action: "token",
    description: "Script",
    ...fields,
  });
  return { ...made, token: texts(made.text, ".secret code")[0] ?? "" };
}

describe("the rights on the profile", () => {
  const rights = async (who: Person) => {
    const { text } = await (await browser(who)).get("/user/profile");
    const at = text.indexOf('id="rights-title"');
    const section = text.slice(at, text.indexOf("</section>", at));
    return { held: texts(section, ".tag"), said: texts(section, "p").join(" ") };
  };

  test("are those of the groups and of places, with whom to ask for others", async () => {
    expect((await rights(carol)).said).toBe(
      "You can read everything that is not sensitive, and change nothing. Admins give rights: alice. What they allow",
    );
    await aScope({ name: "Lab" });
    const given = await api(alice).post(`/user/users/${await idOf(carol)}/rights`, {
      right: "network",
      place: "Lab",
    });
    expect(given.status).toBe(200);
    expect((await rights(carol)).held).toEqual(["network on scope Lab"]);
    expect((await rights(bob)).held).toEqual(["inventory everywhere"]);
  });

  test("name no deactivated admin, and no program", async () => {
    const password = "kq4-wrn-72-zzb-up";
    const { body } = await api(alice).post("/user/users", {
      username: "zoe",
      password,
      groups: ["admin"],
    });
    expect((await rights(carol)).said).toContain(": alice, zoe.");
    await api(alice).delete(`/user/users/${body.id}`);
    expect((await rights(carol)).said).toContain(": alice.");
  });
});

describe("a token from the profile", () => {
  test("is shown once, is valid, and ends at once when it is revoked", async () => {
    const own = await browser(bob);
    const { status, token, headers } = await makeToken(own);
    expect(status).toBe(200);
    expect(token).toMatch(/^cad_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-encoding")).toBeNull();
    expect((await api({ token }).get("/user/profile")).body.username).toBe("bob");
    const page = await own.get("/user/profile");
    expect(page.text).not.toContain(token);
    const id = elements(page.text, "input[name=token_id]")[0]!.attributes.value!;
    const revoked = await own.submit("/user/tokens/revoke", { token_id: id });
    expect(revoked.status).toBe(303);
    expect((await api({ token }).get("/user/profile")).status).toBe(401);
  });

  test("may be read-only and may have an expiry date, which the form proposes in a year", async () => {
    const own = await browser(bob);
    const form = (await own.get("/user/profile")).text;
    const proposed = elements(form, "input[name=expires_at]")[0]!.attributes.value!;
    const days = (Date.parse(proposed) - Date.now()) / 86_400_000;
    expect(Math.ceil(days)).toBe(365);
    const { token } = await makeToken(own, { read_only: "true", expires_at: "2199-12-31" });
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
    expect((await api({ token }).post("/inventory/locations", { name: "Hall A" })).status).toBe(
      403,
    );
    const { text } = await own.get("/user/profile");
    expect(texts(text, "td[data-label=Expires]")).toEqual(["31 Dec 2199"]);
  });

  test("may be limited to kinds of records and networks, which the list shows", async () => {
    const own = await browser(bob);
    const form = new URLSearchParams({ action: "token", description: "Script" });
    for (const limit of ["", "inventory:read", "network:read"]) form.append("limits", limit);
    form.append("networks", "127.0.0.0/8\r\n10.1.2.3");
    const made = await visit("/user/profile", {
      method: "POST",
      body: form,
      headers: { cookie: own.cookie, "sec-fetch-site": "same-origin" },
    });
    const [token = ""] = texts(made.text, ".secret code");
    const { body } = await api({ token }).get("/user/tokens/self");
    expect(body).toMatchObject({
      limits: ["network:read", "inventory:read"],
      networks: ["127.0.0.0/8", "10.1.2.3/32"],
    });
    const { text } = await own.get("/user/profile");
    expect(texts(text, "td[data-label='Limited to'] .tag")).toEqual(body.limits);
    expect(texts(text, "td[data-label='Limited to'] .mono")).toEqual([
      "127.0.0.0/8",
      "10.1.2.3/32",
    ]);
    const wrong = await makeToken(own, { limits: "network", networks: "10.1.2.3/8" });
    expect(wrong.status).toBe(422);
    expect(texts(wrong.text, "#error-token-limits, #error-token-networks")).toHaveLength(2);
  });

  test("is rotated on a page of its own, with an overlap", async () => {
    const own = await browser(bob);
    const { token } = await makeToken(own);
    const list = await own.get("/user/profile");
    const [link] = elements(list.text, "a[aria-label='Rotate Script']");
    const path = link?.attributes.href ?? "";
    expect((await own.get(path)).status).toBe(200);
    const wrong = await own.submit(path, { overlap_minutes: "many" });
    expect([wrong.status, texts(wrong.text, "#error-token-overlap_minutes")]).toEqual([
      422,
      [expect.stringContaining("minutes")],
    ]);
    const rotated = await own.submit(path, { overlap_minutes: "60" });
    const [next = ""] = texts(rotated.text, ".secret code");
    expect(rotated.headers.get("cache-control")).toBe("no-store");
    for (const one of [token, next]) {
      expect((await api({ token: one }).get("/user/profile")).status).toBe(200);
    }
    expect(texts(rotated.text, "td[data-label=Description] .muted")[0]).toStartWith(
      "Former secret",
    );
    const theirs = await (await browser(carol)).submit(path, { overlap_minutes: "60" });
    expect(theirs.status).toBe(404);
  });

  test("is not created with a past date", async () => {
    const own = await browser(bob);
    const { status, text } = await makeToken(own, { expires_at: "2001-01-01" });
    expect(status).toBe(422);
    expect(texts(text, "#error-token-expires_at")).toHaveLength(1);
    expect(elements(text, "#token-description")[0]!.attributes.value).toBe("Script");
  });
});

describe("a token from the profile of an old session", () => {
  async function oldSession() {
    const own = await browser(bob);
    const { sql } = await service();
    await sql`update sessions set created_at = now() - interval '16 minutes'`;
    return own;
  }

  test("requires the password", async () => {
    const own = await oldSession();
    const label = (text: string) => texts(text, "label[for=token-current_password]");
    expect(label((await own.get("/user/profile")).text)).toEqual(["Current password"]);
    for (const fields of [{}, { current_password: "" }, { current_password: "a guess" }]) {
      const { status, text, token } = await makeToken(own, fields as Record<string, string>);
      expect([status, token], JSON.stringify(fields)).toEqual([422, ""]);
      expect(texts(text, "#error-token-current_password"), JSON.stringify(fields)).toHaveLength(1);
      expect(
        elements(text, "#token-description")[0]!.attributes.value,
        JSON.stringify(fields),
      ).toBe("Script");
    }
    expect((await api(bob).get("/user/tokens")).body).toEqual([]);
    expect((await makeToken(own, { current_password: PASSWORD })).status).toBe(200);
    const [{ id }] = (await api(bob).get("/user/tokens")).body;
    const rotation = await own.submit(`/user/tokens/rotate/${id}`, { overlap_minutes: "0" });
    expect(rotation.status).toBe(422);
    expect(texts(rotation.text, "#error-token-current_password")).toHaveLength(1);
    expect(label((await (await browser(bob)).get("/user/profile")).text)).toEqual([]);
  });

  test("limits guessing: wrong passwords count as failed logins of that user", async () => {
    const own = await oldSession();
    for (let number = 0; number < 10; number += 1) {
      expect((await makeToken(own, { current_password: `guess ${number}` })).status).toBe(422);
    }
    const { status, headers, text } = await makeToken(own, { current_password: PASSWORD });
    expect(status).toBe(429);
    expect(texts(text, "#error-token-current_password")[0]).toStartWith("Too many failed logins");
    expect(elements(text, "#token-description")[0]!.attributes.value).toBe("Script");
    expect(Number(headers.get("retry-after"))).toBeWithin(1, 901);
    const { sql } = await service();
    const logged = await sql`select distinct event, username, address, user_id from audit_log`;
    expect([...logged]).toEqual([
      { event: "login.failed", username: "bob", address: "127.0.0.1", user_id: await idOf(bob) },
    ]);
    expect((await browser(bob)).cookie).toContain("session=");
  });
});

describe("POST /user/tokens/revoke", () => {
  test("is idempotent, and answers the same for a token of somebody else, which it keeps", async () => {
    const other = await browser(alice);
    const { token } = await makeToken(other);
    const id = elements((await other.get("/user/profile")).text, "input[name=token_id]")[0]!
      .attributes.value!;
    const own = await browser(carol);
    for (const token_id of [id, id, "999"]) {
      const { status } = await own.submit("/user/tokens/revoke", { token_id });
      expect(status, token_id).toBe(303);
    }
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
  });

  test("ends a login token by its jti", async () => {
    const login = { username: "carol", password: PASSWORD };
    const { access_token } = (await api("stranger").post("/user/login", login)).body;
    const { jti } = JSON.parse(Buffer.from(access_token.split(".")[1], "base64url").toString());
    const own = await browser(carol);
    expect((await own.submit("/user/tokens/revoke", { jti }, { headers: HTMX })).status).toBe(200);
    expect((await api({ token: access_token }).get("/user/profile")).status).toBe(401);
  });
});

describe("POST /user/profile", () => {
  test("changes name and e-mail, and a blank clears a field", async () => {
    const own = await browser(carol);
    const fields = { action: "profile", display_name: "Carol", email: "carol@example.org" };
    expect((await own.submit("/user/profile", fields)).status).toBe(303);
    expect((await api(carol).get("/user/profile")).body).toMatchObject({
      display_name: "Carol",
      email: "carol@example.org",
    });
    await own.submit("/user/profile", { ...fields, email: "" });
    expect((await api(carol).get("/user/profile")).body.email).toBeNull();
    const wrong = await own.submit("/user/profile", { ...fields, email: "nowhere" });
    expect(wrong.status).toBe(422);
    expect(texts(wrong.text, "#error-field-email")).toEqual([
      "Use an address such as alice@example.org",
    ]);
  });

  test("changes the password with the current one, and ends the other sessions", async () => {
    const own = await browser(carol);
    const elsewhere = await browser(carol);
    const change = { action: "password", password: NEW, repeated_password: NEW };
    const guessed = await own.submit("/user/profile", { ...change, current_password: "guess" });
    expect(guessed.status).toBe(422);
    expect(texts(guessed.text, "#error-pw-current_password")).toEqual([
      "This is not your current password",
    ]);
    const mistyped = await own.submit("/user/profile", {
      ...change,
      repeated_password: "something",
      current_password: PASSWORD,
    });
    expect(mistyped.status).toBe(422);
    expect(
      (await own.submit("/user/profile", { ...change, current_password: PASSWORD })).status,
    ).toBe(303);
    expect((await own.get("/user/profile")).status).toBe(200);
    expect((await elsewhere.get("/user/profile")).status).toBe(303);
  });

  test("ends the personal tokens with the old password only on request", async () => {
    const own = await browser(carol);
    const { token } = await makeToken(own);
    const change = { action: "password", password: NEW, repeated_password: NEW };
    await own.submit("/user/profile", {
      ...change,
      current_password: PASSWORD,
      end_tokens: "false",
    });
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
    const mistyped = { ...change, current_password: "guess", end_tokens: "true" };
    const { text } = await own.submit("/user/profile", mistyped);
    expect(elements(text, "#pw-end_tokens")[0]!.attributes.checked).toBeDefined();
    await own.submit("/user/profile", { ...mistyped, current_password: NEW });
    expect((await api({ token }).get("/user/profile")).status).toBe(401);
    expect((await own.get("/user/profile")).status).toBe(200);
  });

  test("keeps the theme in a cookie, and renders the page in it", async () => {
    const own = await browser(carol);
    const next = "/inventory/attributes/status";
    const { status, headers } = await own.submit("/user/profile", { theme: "dark", next });
    expect(status).toBe(303);
    expect(headers.get("location")).toBe(next);
    expect((await own.get(next)).text).toContain('data-theme="dark"');
    expect((await own.submit("/user/profile", { theme: "pink" })).status).toBe(422);
  });

  test("shows nobody the account of another user", async () => {
    const { text } = await (await browser(carol)).get("/user/profile");
    expect(texts(text, "h1")).toEqual(["carol"]);
    expect((await visit("/user/profile")).status).toBe(303);
  });
});
