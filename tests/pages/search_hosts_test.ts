// The search box above the list of hosts.
import { describe, expect, test } from "bun:test";
import { browser, correctionsOn, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aHost, alice, aNetwork, carol, dave } from "../support/mod.ts";

const LIST = "/network/hosts";

async function someHosts(): Promise<void> {
  await aHost({ name: "archiver-01", description: "Archiver appliance" });
  await aHost({ name: "archiver-02", device_type: "Virtual", description: "Appliance" });
  await aHost({ name: "web", device_type: "Virtual" });
}

function at(q: string): string {
  return `${LIST}?q=${encodeURIComponent(q)}`;
}

describe("GET /network/hosts?q=", () => {
  test("explains the query clause by clause", async () => {
    await someHosts();
    const { text } = await (await browser(carol)).get(at("name:arch* AND NOT type:virtual"));
    expect(texts(text, "td a.open")).toEqual(["archiver-01"]);
    expect(texts(text, "#understood li")).toEqual([
      'name begins with "arch"',
      'and not type is "virtual"',
    ]);
  });

  test("shows what is wrong with a query, and marks the position", async () => {
    await someHosts();
    const { status, text } = await (await browser(carol)).get(at("name:(arch* OR )"));
    expect(status).toBe(422);
    const [box] = elements(text, "#query");
    expect(box!.attributes).toMatchObject({
      value: "name:(arch* OR )",
      "aria-invalid": "true",
      "aria-describedby": "understood",
    });
    expect(texts(text, "#understood .error")[0]).toContain("Something is missing before )");
    expect(texts(text, "#understood mark")).toEqual([")"]);
    expect(texts(text, "#understood pre")).toEqual(["name:(arch* OR )"]);
    expect(texts(text, "td a.open")).toEqual([]);
    expect(texts(text, "#list [role=status]")).toEqual(["0 hosts"]);
  });

  test("distinguishes a query that takes too long from one that cannot be parsed", async () => {
    await someHosts();
    const query = Array.from({ length: 500 }, (_, number) => `(${number} AND x)`).join(" AND ");
    const { status, text } = await (await browser(carol)).get(at(query));
    expect(status).toBe(422);
    expect(texts(text, "#understood .error")).toEqual([
      "This expression takes too long; narrow it down",
    ]);
  });

  test("shows no rows below a query that cannot be parsed", async () => {
    await someHosts();
    const own = await browser(carol);
    const wrong = await own.get(at('"arch'), { headers: HTMX });
    expect(wrong.status).toBe(422);
    expect(wrong.headers.get("hx-push-url")).toBe("false");
    expect(texts(wrong.text, "#list [role=status]")).toEqual(["0 hosts"]);
    expect(texts(wrong.text, "#understood[hx-swap-oob] .hint")[0]).toStartWith("Close the quota");
    const mended = await own.get(at('"archiver appliance"'), { headers: HTMX });
    expect(texts(mended.text, "td a.open")).toEqual(["archiver-01"]);
    expect(elements(mended.text, "#understood[hx-swap-oob] .error")).toEqual([]);
  });

  test("lists the exact name first, then names that begin with it, unless it is sorted", async () => {
    await aHost({ name: "big-web" });
    await aHost({ name: "web-2" });
    await aHost({ name: "web" });
    const own = await browser(carol);
    const shown = async (q: string, more = "") =>
      texts((await own.get(`${at(q)}${more}`)).text, "td a.open");
    expect(await shown("*web*")).toEqual(["web", "web-2", "big-web"]);
    expect(await shown("*web*", "&sort=name")).toEqual(["big-web", "web", "web-2"]);
    expect(await shown("web")).toEqual(["web", "web-2", "big-web"]);
  });

  test("finds parts of MAC addresses in any notation", async () => {
    await aNetwork({ vlan_name: "Bench" });
    await aHost({ name: "crate", network: "Bench", mac: "0a:27:09:00:00:01" });
    const own = await browser(carol);
    for (const part of [
      "0a:27:09",
      "0A:27:",
      "27:09:0",
      "0a-27-09",
      "0a2709",
      "0A27.0900",
      "mac:0a27*",
    ]) {
      const { status, text } = await own.get(at(part));
      expect([part, status, texts(text, "td a.open")]).toEqual([part, 200, ["crate"]]);
    }
  });

  test("refuses an invalid filter as without a query", async () => {
    expect((await (await browser(carol)).get(`${at("(")}&is_ioc=perhaps`)).status).toBe(422);
    expect((await (await browser(carol)).get(`${LIST}?nothing=1`)).status).toBe(422);
  });

  test("finds hosts that have all words, in whatever fields, by type and by the network's VLAN", async () => {
    await someHosts();
    await aNetwork({ vlan_name: "Bench", vlan_id: 310 });
    await aHost({ name: "crate", network: "Bench", is_ioc: true, description: "Vacuum gauges" });
    const own = await browser(carol);
    const shown = async (q: string) => texts((await own.get(at(q))).text, "td a.open");
    expect(await shown("rchiv")).toEqual(["archiver-01", "archiver-02"]);
    expect(await shown("appliance archiver")).toEqual(["archiver-01", "archiver-02"]);
    expect(await shown("ioc gaug")).toEqual(["crate"]);
    expect(await shown("bench crate")).toEqual(["crate"]);
    expect(await shown("vlan 310")).toEqual(["crate"]);
    expect(await shown("310")).toEqual([]);
  });

  test("offers words only where they find something, with commas between them too", async () => {
    await someHosts();
    const own = await browser(carol);
    const offered = async (q: string) => texts((await own.get(at(q))).text, ".empty p a");
    expect(await offered("web nothing")).toEqual(["any of these words"]);
    expect(await offered("nothing none")).toEqual([]);
    for (const list of ["web,archiver-01", "web, archiver-01", "name:web,archiver-01"]) {
      expect([list, await offered(list)]).toEqual([list, ["any of these words"]]);
    }
    const { text } = await own.get(at("name:web,archiver-01"));
    const [any] = elements(text, ".empty p a").map(({ attributes }) => attributes.href!);
    expect(texts((await own.get(any!)).text, "td a.open")).toEqual(["archiver-01", "web"]);
  });

  test("suggests a field for an unknown one, whatever else is found", async () => {
    await someHosts();
    const own = await browser(carol);
    for (const [query, meant] of [
      ["location:Gallery", "items.location:Gallery"],
      ["TYPE:virtual OR web", "type:virtual OR web"],
      ["type=VME", "type:VME"],
    ] as const) {
      const { text } = await own.get(at(query));
      expect([query, texts(text, "#list .hint a")]).toEqual([query, [meant]]);
    }
    const [link] = elements((await own.get(at("TYPE:virtual OR web"))).text, ".hint a");
    const { text } = await own.get(link!.attributes.href!);
    expect(texts(text, "td a.open")).toEqual(["web", "archiver-02"]);
    expect(texts((await own.get(at("type:virtual"))).text, ".hint")).toEqual([]);
  });

  test("suggests similar words, and never one of a hidden host", async () => {
    await someHosts();
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "canary-01", network: vlan_name });
    const own = await browser(carol);
    const [, corrected] = await correctionsOn(own, at("name:archvier-01"));
    expect(corrected).toStartWith("Did you mean name:archiver-01");
    const hidden = await own.get(at("name:canray-01"));
    expect(hidden.text).not.toContain("canary");
    const seen = await correctionsOn(await browser(alice), at("name:canray-01"));
    expect(seen[1]).toBe("Did you mean name:canary-01?");
  });

  test("shows examples that can be followed", async () => {
    const own = await browser(carol);
    const { text } = await own.get(LIST);
    const examples = elements(text, ".help a").map(({ attributes }) => attributes.href!);
    expect(examples.length).toBeGreaterThan(8);
    for (const href of examples) expect([href, (await own.get(href)).status]).toEqual([href, 200]);
  });
});

describe("POST /searches", () => {
  test("saves a search with its filters under a name, for the caller only", async () => {
    await someHosts();
    const own = await browser(carol);
    const { text } = await own.get(`${at("name:arch*")}&device_type=virtual&sort=-name&page=1`);
    const [query] = elements(text, "form[action='/searches'] input[name=query]");
    const given = { list: LIST, name: "Archivers", query: query!.attributes.value! };
    const kept = await own.submit("/searches", given);
    expect([kept.status, kept.headers.get("location")]).toEqual([303, `${LIST}?${given.query}`]);
    const [link] = elements((await own.get(LIST)).text, ".saved a");
    expect(texts((await own.get(link!.attributes.href!)).text, "td a.open")).toEqual([
      "archiver-02",
    ]);
    expect(elements((await (await browser(dave)).get(LIST)).text, ".saved")).toEqual([]);
  });

  test("replaces the search of the same name", async () => {
    const own = await browser(carol);
    await own.submit("/searches", { list: LIST, name: "Mine", query: "q=a" });
    await own.submit("/searches", { list: LIST, name: "mine", query: "q=b" });
    const { text } = await own.get(LIST);
    expect(texts(text, ".saved a")).toEqual(["mine"]);
    expect(elements(text, ".saved a")[0]!.attributes.href).toBe(`${LIST}?q=b`);
  });

  test("refuses other lists, and invalid names", async () => {
    const own = await browser(carol);
    const send = (fields: object) =>
      own.submit("/searches", { list: LIST, name: "Mine", query: "q=a", ...fields });
    expect((await send({ list: "//evil.example" })).status).toBe(422);
    expect((await send({ name: " " })).status).toBe(422);
    expect(elements((await own.get(LIST)).text, ".saved")).toEqual([]);
    const odd = await send({ query: "q=a\r\nb: c" });
    expect(odd.headers.get("location")).toBe(`${LIST}?q=a%0Ab%3A+c`);
  });

  test("is deleted by its owner only", async () => {
    const own = await browser(carol);
    await own.submit("/searches", { list: LIST, name: "Mine", query: "q=a" });
    const [button] = elements((await own.get(LIST)).text, ".saved button");
    const id = button!.attributes.value!;
    expect((await (await browser(dave)).submit("/searches/delete", { id })).status).toBe(404);
    expect((await own.submit("/searches/delete", { id })).status).toBe(303);
    expect((await own.submit("/searches/delete", { id })).status).toBe(404);
    expect(elements((await own.get(LIST)).text, ".saved")).toEqual([]);
  });
});
