import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aHost, alice, aNetwork, api, bob, carol, dave, inOrder } from "../support/mod.ts";

const PATH = "/network/groups";

async function aGroup(fields: object, by = dave) {
  const { status, body } = await api(by).post(PATH, fields);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

async function hostsOf(id: number): Promise<string[]> {
  return (await api(alice).get(`${PATH}/${id}`)).body.hosts;
}

describe("GET /network/groups", () => {
  test("lists groups with the number of visible hosts", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "open-1" });
    await aHost({ name: "canary-1", network: vlan_name });
    await aGroup({ name: "Found", type: "query", query: "*-1" });
    const hers = (await (await browser(alice)).get(PATH)).text;
    const his = (await (await browser(carol)).get(PATH)).text;
    expect(texts(hers, "table.list tbody td.number")).toEqual(["2"]);
    expect(texts(his, "table.list tbody td.number")).toEqual(["1"]);
    expect(texts(his, "table.list tbody a.open")).toEqual(["Found"]);
    expect(elements(hers, "a[data-key=c]")).toHaveLength(1);
    expect(elements(his, "a[data-key=c], input[name=id]")).toHaveLength(0);
  });

  test("filters in place", async () => {
    await inOrder(["alpha", "beta"].map((name) => () => aGroup({ name })));
    const { text } = await (await browser(carol)).get(`${PATH}?q=alp&type=`, { headers: HTMX });
    expect(texts(text, "a.open")).toEqual(["alpha"]);
    expect(text).not.toContain("<html");
  });
});

describe("POST /network/_retrieve_groups", () => {
  test("orders a table by the numbers of its columns", async () => {
    await inOrder(["alpha", "beta", "gamma"].map((name) => () => aGroup({ name })));
    const fields = {
      draw: "7",
      start: "0",
      length: "2",
      "order[0][column]": "0",
      "order[0][dir]": "desc",
    };
    const { body } = await (await browser(carol)).submit("/network/_retrieve_groups", fields);
    expect(body).toMatchObject({ draw: 7, recordsTotal: 3, recordsFiltered: 3 });
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["gamma", "beta"]);
  });
});

describe("/network/groups/create", () => {
  test("creates a group with hosts, children and variables in YAML", async () => {
    await inOrder(["a-1", "b-1", "c-1"].map((name) => () => aHost({ name })));
    await aGroup({ name: "Child" });
    const { status, headers } = await (await browser(dave)).submit(`${PATH}/create`, {
      name: "Räck/1",
      type: "static",
      query: "not for this type",
      hosts: "a-1, B-1\r\n",
      host: "c-1",
      children: "child",
      vars: "port: 5432 # PostgreSQL\nservers:\n  - a\n  - b\n",
    });
    const path = `${PATH}/view/R%C3%A4ck%2F1`;
    expect([status, headers.get("location")]).toEqual([303, path]);
    const [group] = (await api(dave).get(`${PATH}?name=r%C3%A4ck/1`)).body;
    expect(group).toMatchObject({
      name: "Räck/1",
      vars: { port: 5432, servers: ["a", "b"] },
      children: ["Child"],
      hosts: ["a-1", "b-1", "c-1"],
    });
    const view = await (await browser(carol)).get(path);
    expect([view.status, texts(view.text, "h1")]).toEqual([200, ["Räck/1"]]);
  });

  test("names the line of the variables that cannot be parsed, and keeps the input", async () => {
    const fields = { name: "One", type: "static", vars: "a: 1\nb: [1, 2\nc: 3" };
    const { status, text } = await (await browser(dave)).submit(`${PATH}/create`, fields);
    expect(status).toBe(422);
    expect(texts(text, "#error-field-vars")).toEqual(["Line 2: Unexpected token"]);
    expect(texts(text, "#field-vars")).toEqual(["a: 1 b: [1, 2 c: 3"]);
    expect((await api(dave).get(PATH)).body).toEqual([]);
  });

  test("reports an unknown host, hidden or not, beside its field", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "canary-1", network: vlan_name });
    const dan = await browser(dave);
    for (const name of ["canary-1", "nobody-1"]) {
      const fields = { name: "One", type: "static", hosts: name };
      const { status, text } = await dan.submit(`${PATH}/create`, fields);
      expect([status, texts(text, "#error-field-hosts")], name).toEqual([
        422,
        [`There is no host "${name}"`],
      ]);
    }
  });

  test("previews the affected hosts by a button, and saves nothing", async () => {
    await inOrder(["a-1", "b-1"].map((name) => () => aHost({ name })));
    const fields = {
      name: "One",
      type: "static",
      hosts: "a-1",
      host: "b-1",
      vars: "port: 1",
      preview: "true",
    };
    const { status, text } = await (await browser(dave)).submit(`${PATH}/create`, fields);
    expect(status).toBe(200);
    expect(texts(text, "#outlook > p")).toEqual(["2 hosts in the group, 2 affected"]);
    expect(texts(text, ".touched li")[0]).toContain("a-1, b-1 addedport 1");
    expect(texts(text, "#field-hosts")).toEqual(["a-1 b-1"]);
    expect(elements(text, "#field-host")[0]?.attributes.value).toBe("");
    expect((await api(dave).get(PATH)).body).toEqual([]);
  });

  test("returns only the preview to htmx, also while the form is incomplete", async () => {
    await aHost({ name: "a-1" });
    const dan = await browser(dave);
    const given = { headers: HTMX };
    const fields = { name: "", type: "query", query: "a-*" };
    const early = await dan.submit(`${PATH}/create`, fields, given);
    expect([early.status, texts(early.text, "li")]).toEqual([
      200,
      ["Name: Use 1 to 100 characters on one line, but not . or .. alone"],
    ]);
    const ready = await dan.submit(`${PATH}/create`, { ...fields, name: "One" }, given);
    expect(texts(ready.text, "p")).toEqual(["1 host in the group, 1 affected"]);
    expect((await api(dave).get(PATH)).body).toEqual([]);
  });

  test("is allowed for the network group only", async () => {
    for (const person of [bob, carol]) {
      const someone = await browser(person);
      expect((await someone.get(`${PATH}/create`)).status, person.username).toBe(403);
      expect(
        (await someone.submit(`${PATH}/create`, { name: "One" })).status,
        person.username,
      ).toBe(403);
    }
  });
});

describe("/network/groups/edit/(name)", () => {
  test("changes the edited fields and keeps concurrent changes of others", async () => {
    await inOrder(["a-1", "b-1", "c-1"].map((name) => () => aHost({ name })));
    const { id } = await aGroup({ name: "One", hosts: ["a-1", "b-1"], vars: { port: 1 } });
    const dan = await browser(dave);
    const version = elements((await dan.get(`${PATH}/edit/One`)).text, "input[name=version]")[0];
    const [host] = (await api(dave).get("/network/hosts?name=c-1")).body;
    await api(dave).patch(`/network/hosts/${host.id}`, { automation_groups: ["One"] });
    const { headers } = await dan.submit(`${PATH}/edit/One`, {
      version: version?.attributes.value ?? "",
      name: "Two",
      type: "static",
      hosts_before: "a-1\nb-1",
      hosts: "a-1",
      vars: '{\n  "port": 1\n}',
    });
    expect(headers.get("location")).toBe(`${PATH}/view/Two`);
    expect((await api(dave).get(`${PATH}/${id}`)).body).toMatchObject({
      name: "Two",
      vars: { port: 1 },
      hosts: ["a-1", "c-1"],
    });
    const old = await dan.get(`${PATH}/view/one?page=1`);
    expect([old.status, old.headers.get("location")]).toEqual([303, `${PATH}/view/Two?page=1`]);
    expect((await dan.get(`${PATH}/view/Three`)).status).toBe(404);
  });

  test("shows both versions after a conflict, and saves neither", async () => {
    const { id } = await aGroup({ name: "One", vars: { port: 1 } });
    const dan = await browser(dave);
    const version = elements((await dan.get(`${PATH}/edit/One`)).text, "input[name=version]")[0];
    await api(alice).patch(`${PATH}/${id}`, { vars: { port: 2 } });
    const fields = {
      version: version?.attributes.value ?? "",
      name: "Mine",
      type: "static",
      vars: '{\n  "port": 1\n}',
    };
    const { status, text } = await dan.submit(`${PATH}/edit/One`, fields);
    expect(status).toBe(412);
    expect(texts(text, ".note.warn tbody th")).toEqual(["Name", "Variables"]);
    expect(texts(text, "#field-vars")).toEqual(['{ "port": 2 }']);
    expect((await api(dave).get(`${PATH}/${id}`)).body).toMatchObject({
      name: "One",
      vars: { port: 2 },
    });
    const again = {
      ...fields,
      version: elements(text, "input[name=version]")[0]?.attributes.value ?? "",
    };
    expect((await dan.submit(`${PATH}/edit/One`, { ...again, vars: "port: 2" })).status).toBe(303);
  });
});

describe("/network/groups/view/(name)", () => {
  test("shows the group, its hosts and the variables for Ansible, as far as visible", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await aHost({ name: "open-1" });
    await aHost({ name: "canary-1", network: vlan_name });
    await aGroup({ name: "Inner", hosts: ["open-1", "canary-1"], vars: { motd: "Hello" } }, alice);
    await aGroup({ name: "Outer", children: ["Inner"] });
    const inner = (await (await browser(carol)).get(`${PATH}/view/Inner`)).text;
    expect(texts(inner, "table.list a.open")).toEqual(["open-1"]);
    expect(texts(inner, "pre.snippet")[0]).toBe("Inner: hosts: open-1: {} vars: motd: Hello");
    expect(inner).not.toContain("canary");
    expect(texts(inner, "dl.facts a")).toEqual(["Outer", "alice"]);
    const outer = (await (await browser(carol)).get(`${PATH}/view/Outer`)).text;
    expect(texts(outer, "dl.facts dd")[0]).toBe("0, 1 including child groups");
  });

  test("adds and removes hosts, and keeps hidden ones", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await inOrder(["a-1", "b-1"].map((name) => () => aHost({ name })));
    await aHost({ name: "canary-1", network: vlan_name });
    const { id } = await aGroup({ name: "One", hosts: ["a-1", "canary-1"] }, alice);
    const dan = await browser(dave);
    expect((await dan.submit(`${PATH}/view/One`, { host: "B-1" })).status).toBe(303);
    expect((await dan.submit(`${PATH}/view/One`, { remove: "a-1" })).status).toBe(303);
    expect(await hostsOf(id)).toEqual(["b-1", "canary-1"]);
    const { status, text } = await dan.submit(`${PATH}/view/One`, { host: "canary-1" });
    expect([status, texts(text, "#error-field-host")]).toEqual([
      422,
      ['There is no host "canary-1"'],
    ]);
    expect((await dan.submit(`${PATH}/view/One`, {})).status).toBe(422);
    expect((await (await browser(carol)).submit(`${PATH}/view/One`, { host: "a-1" })).status).toBe(
      403,
    );
  });

  test("accepts two hosts that are added at the same time", async () => {
    await inOrder(["a-1", "b-1"].map((name) => () => aHost({ name })));
    const { id } = await aGroup({ name: "One" });
    const dan = await browser(dave);
    await Promise.all(["a-1", "b-1"].map((host) => dan.submit(`${PATH}/view/One`, { host })));
    expect(await hostsOf(id)).toEqual(["a-1", "b-1"]);
  });
});

describe("POST /network/groups/delete", () => {
  test("shows what will be deleted, and deletes several at once", async () => {
    await aHost({ name: "a-1" });
    const groups = await inOrder(
      ["One", "Two"].map((name) => () => aGroup({ name, hosts: ["a-1"] })),
    );
    const dan = await browser(dave);
    const one = { id: String(groups[0].id) };
    const { status, text } = await dan.submit(`${PATH}/delete`, one);
    expect([status, texts(text, "h1"), texts(text, "form.sheet > p")]).toEqual([
      200,
      ["Delete One?"],
      ["Hosts and child groups remain; 1 host will lose its variables."],
    ]);
    expect((await api(dave).get(PATH)).body).toHaveLength(2);
    expect((await dan.submit(`${PATH}/delete`, { ...one, confirmed: "true" })).status).toBe(303);
    expect((await api(dave).get(PATH)).body).toHaveLength(1);
    expect((await api(dave).get("/network/hosts")).body).toHaveLength(1);
  });

  test("is refused to users who did not create all of them, and keeps all", async () => {
    const mine = await aGroup({ name: "Mine" });
    const hers = await aGroup({ name: "Hers" }, alice);
    const dan = await browser(dave);
    const fields = { id: String(hers.id), confirmed: "true" };
    expect((await dan.submit(`${PATH}/delete`, fields)).status).toBe(403);
    expect((await dan.submit(`${PATH}/delete`, { id: "nonsense" })).status).toBe(422);
    expect((await dan.submit(`${PATH}/delete`, { id: String(mine.id + 1000) })).status).toBe(404);
    expect((await api(dave).get(PATH)).body).toHaveLength(2);
  });
});
