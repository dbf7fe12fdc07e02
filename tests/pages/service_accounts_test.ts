// The pages of service accounts, for admins.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { alice, api, aScope, audrey, bob, PASSWORD, service, visit } from "../support/mod.ts";

const ROOT = "/admin/service-accounts";
const VIEW = `${ROOT}/view/robot`;

async function anAccount() {
  const own = await browser(alice);
  const form = { username: "Robot", display_name: "Importer", groups: "inventory" };
  const made = await own.submit(`${ROOT}/create`, form);
  expect([made.status, made.headers.get("location")]).toEqual([303, VIEW]);
  return own;
}

describe("the pages of service accounts", () => {
  test("add an account, list it apart from people, and change it", async () => {
    const own = await anAccount();
    const list = await own.get(ROOT);
    expect(texts(list.text, "td[data-label=Username]")).toEqual(["robot"]);
    expect(texts((await own.get("/admin/users")).text, "td[data-label=Username]")).not.toContain(
      "robot",
    );
    const redirected = await own.get("/admin/users/view/robot");
    expect(redirected.headers.get("location")).toBe(VIEW);
    expect((await own.get("/admin/users/edit/robot")).status).toBe(404);
    const edit = await own.get(`${ROOT}/edit/robot`);
    const [version] = elements(edit.text, "main input[name=version]");
    const fields = { version: version?.attributes.value ?? "", groups: "network" };
    expect((await own.submit(`${ROOT}/edit/robot`, fields)).status).toBe(303);
    const stale = await own.submit(`${ROOT}/edit/robot`, { ...fields, groups: "" });
    expect(stale.status).toBe(412);
    expect(texts((await own.get(VIEW)).text, ".facts .tag")).toContain("network");
    const refused = await own.submit(`${ROOT}/create`, { username: "robot" });
    expect([refused.status, texts(refused.text, "#error-field-username")]).toEqual([
      422,
      ["This username is taken"],
    ]);
    const sheet = await own.get(`/lists/export?list=${ROOT}&format=csv`);
    expect(sheet.text).toContain("robot");
  });

  test("make, rotate and revoke a token, and show each secret once", async () => {
    const own = await anAccount();
    const fields = { username: "robot", description: "Nightly", limits: "inventory:read" };
    const made = await own.submit(`${ROOT}/token`, { ...fields, networks: "127.0.0.1" });
    const [token = ""] = texts(made.text, ".secret code");
    expect((await api({ token }).get("/inventory/items")).status).toBe(200);
    const view = await own.get(VIEW);
    expect(view.text).not.toContain(token);
    expect(texts(view.text, "td[data-label='Limited to'] .tag")).toEqual(["inventory:read"]);
    expect(texts(view.text, "td[data-label='Last used'] .mono")).toEqual(["127.0.0.1"]);
    const path = elements(view.text, "a[aria-label='Rotate Nightly']")[0]?.attributes.href ?? "";
    expect((await own.get(path)).status).toBe(200);
    const rotated = await own.submit(path, { overlap_minutes: "0" });
    const [next = ""] = texts(rotated.text, ".secret code");
    expect((await api({ token }).get("/inventory/items")).status).toBe(401);
    expect((await api({ token: next }).get("/inventory/items")).status).toBe(200);
    const [id] = elements(rotated.text, "input[name=token_id]");
    const revocation = { username: "robot", token_id: id?.attributes.value ?? "" };
    expect((await own.submit(`${ROOT}/revoke`, revocation)).status).toBe(303);
    expect((await api({ token: next }).get("/inventory/items")).status).toBe(401);
    expect((await own.submit(`${ROOT}/revoke`, revocation)).status).toBe(303);
    expect((await own.get(path)).status).toBe(404);
  });

  test("give and take rights in one place", async () => {
    const own = await anAccount();
    const { name } = await aScope();
    const given = { right: "network", place: name };
    expect((await own.submit("/admin/users/rights/robot", given)).status).toBe(303);
    const view = await own.get(VIEW);
    expect(texts(view.text, "td[data-label=Right]")).toEqual([
      "inventory everywhere",
      `network on scope ${name}`,
    ]);
    const [take] = elements(view.text, "button[name=take]");
    const taken = { take: take?.attributes.value ?? "" };
    await own.submit("/admin/users/rights/robot", taken);
    expect(texts((await own.get(VIEW)).text, "td[data-label=Right]")).toHaveLength(1);
    const unknown = { right: "network", place: "Nowhere" };
    const refused = await own.submit("/admin/users/rights/robot", unknown);
    expect(refused.headers.get("location")).toBe(VIEW);
    expect((await own.get(VIEW)).text).toContain("Nowhere");
  });

  test("ask an older session for the password before they show a secret", async () => {
    const own = await anAccount();
    const { sql } = await service();
    await sql`update sessions set created_at = now() - interval '16 minutes'`;
    const form = { username: "robot", description: "Nightly" };
    const refused = await own.submit(`${ROOT}/token`, form);
    expect([refused.status, texts(refused.text, ".secret code")]).toEqual([422, []]);
    const made = await own.submit(`${ROOT}/token`, { ...form, current_password: PASSWORD });
    expect(texts(made.text, ".secret code")).toHaveLength(1);
    const view = await own.get(VIEW);
    const path = elements(view.text, "a[aria-label='Rotate Nightly']")[0]?.attributes.href ?? "";
    expect((await own.submit(path, { overlap_minutes: "0" })).status).toBe(422);
  });

  test("deactivate an account after a confirmation, and activate it", async () => {
    const own = await anAccount();
    const asked = await own.submit(`${ROOT}/action`, { username: "robot" });
    expect(texts(asked.text, "h1")).toEqual(["Deactivate this service account?"]);
    await own.submit(`${ROOT}/action`, { username: "robot", confirmed: "true" });
    expect(texts((await own.get(VIEW)).text, ".lead .tag")).toEqual(["deactivated"]);
    await own.submit(`${ROOT}/action`, { username: "robot" });
    expect(texts((await own.get(VIEW)).text, ".lead .tag")).toEqual(["active"]);
  });

  test("are for admins", async () => {
    await anAccount();
    for (const person of [bob, audrey]) {
      const { cookie } = await browser(person);
      for (const path of [ROOT, VIEW, `${ROOT}/create`, `${ROOT}/edit/robot`]) {
        expect([path, (await visit(path, { headers: { cookie } })).status]).toEqual([path, 403]);
      }
    }
  });
});
