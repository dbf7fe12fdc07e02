// The pages of webhooks.
import { expect, setDefaultTimeout, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { texts } from "../support/html.ts";
import { alice, aManufacturer, api, carol } from "../support/mod.ts";
import { allowThisMachine, aWebhook, receiver, until, whileSending } from "../support/receiver.ts";

setDefaultTimeout(60_000);

const WEBHOOKS = "/admin/webhooks";

test("an admin adds a webhook, tests it, sees its messages, changes and deletes it", async () => {
  await allowThisMachine();
  const hook = receiver();
  const own = await browser(alice);
  const wrong = await own.submit(`${WEBHOOKS}/create`, { name: "DHCP", url: "http://192.0.2.1/" });
  expect(wrong.status).toBe(422);
  expect(texts(wrong.text, ".error").join()).toContain("https only");
  const made = await own.submit(`${WEBHOOKS}/create`, {
    name: "DHCP",
    url: hook.url,
    kind: "manufacturers",
    user: "alice",
    format: "cloudevents",
    ordered: "true",
    is_active: "true",
  });
  expect(made.text).toContain("whsec_");
  const filled = await own.submit(`${WEBHOOKS}/create`, {
    ...{ name: "Filled", url: hook.url, kind: "items", is_active: "false" },
    address: "/changes?kind=hosts&kind=items&scope=Lab&from=2026-01-31",
  });
  expect(filled.text).toContain("whsec_");
  const [{ id, filters, format }, other] = (await api(alice).get("/webhooks?sort=id")).body;
  expect(other.filters).toEqual({ kind: ["hosts", "items"], scope: ["Lab"], from: "2026-01-31" });
  const edit = await own.get(`${WEBHOOKS}/edit/${other.id}`);
  expect(edit.text).toContain('name="from"');
  expect((await own.get(`${WEBHOOKS}/create`)).text).not.toContain('name="from"');
  await api(alice).delete(`/webhooks/${other.id}`);
  expect([filters, format]).toEqual([{ kind: ["manufacturers"], user: ["alice"] }, "cloudevents"]);
  const view = `${WEBHOOKS}/view/${id}`;
  expect((await own.get(view)).text).not.toContain("whsec_");
  await own.submit(`${WEBHOOKS}/action/${id}`, { action: "test" });
  await aManufacturer({ name: "Acme" });
  await whileSending(() => until("two messages", () => hook.received.length === 2));
  const [delivery] = (await api(alice).get(`/webhooks/${id}/deliveries`)).body;
  const message = await own.get(`${WEBHOOKS}/delivery/${id}/${delivery.id}`);
  expect(message.text).toContain("Acme");
  await own.submit(`${WEBHOOKS}/send/${id}/${delivery.id}`, {});
  await own.submit(`${WEBHOOKS}/replay/${id}`, {
    first: delivery.change_set,
    last: "",
    from: "",
    to: "",
  });
  await whileSending(() => until("two more", () => hook.received.length === 4));
  const [first, again, replayed] = hook.received.slice(1);
  expect([first!.id === again!.id, first!.id === replayed!.id]).toEqual([true, false]);
  const refused = await own.submit(`${WEBHOOKS}/replay/${id}`, {
    first: "",
    last: "",
    from: "",
    to: "",
  });
  expect(refused.status).toBe(422);
  await own.submit(`${WEBHOOKS}/edit/${id}`, {
    name: "DNS",
    url: hook.url,
    format: "standard",
    ordered: "false",
    is_active: "true",
  });
  const changed = (await api(alice).get(`/webhooks/${id}`)).body;
  expect(changed).toMatchObject({ name: "DNS", filters: {}, ordered: false, owner: "alice" });
  const rotated = await own.submit(`${WEBHOOKS}/action/${id}`, {
    action: "rotate",
    confirmed: "true",
  });
  expect(rotated.text).toContain("whsec_");
  await own.submit(`${WEBHOOKS}/action/${id}`, { action: "delete", confirmed: "true" });
  expect((await api(alice).get("/webhooks")).body).toEqual([]);
  await hook.stop();
});

test("a form that was opened before the webhook was changed does not undo that", async () => {
  const { id } = await aWebhook("http://127.0.0.1:9/");
  const own = await browser(alice);
  const edit = `${WEBHOOKS}/edit/${id}`;
  const [, version = ""] = /name="version" value="(\d+)"/.exec((await own.get(edit)).text) ?? [];
  await api(alice).patch(`/webhooks/${id}`, { is_active: false });
  const typed = {
    name: "DNS",
    url: "http://127.0.0.1:9/",
    format: "standard",
    ordered: "true",
    is_active: "true",
  };
  const refused = await own.submit(edit, { ...typed, version });
  expect([refused.status, refused.text.includes('value="DNS"')]).toEqual([412, true]);
  expect((await api(alice).get(`/webhooks/${id}`)).body).toMatchObject({
    name: "Receiver",
    is_active: false,
  });
  const [, present = ""] = /name="version" value="(\d+)"/.exec(refused.text) ?? [];
  expect((await own.submit(edit, { ...typed, version: present })).status).toBe(303);
  expect((await api(alice).get(`/webhooks/${id}`)).body).toMatchObject({ name: "DNS" });
});

test("others do not see the pages", async () => {
  const own = await browser(carol);
  for (const path of [WEBHOOKS, `${WEBHOOKS}/create`, `${WEBHOOKS}/view/1`]) {
    expect((await own.get(path)).status).toBe(403);
  }
});
