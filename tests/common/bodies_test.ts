// The content of bodies: numbers, variables, combining marks, and unchanged values.
import { describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import {
  LONGEST_VARIABLE_NAME,
  MOST_FIELDS,
  MOST_VALUES,
  MOST_VARIABLES,
} from "../../src/input/limits.ts";
import * as log from "../../src/monitoring/log.ts";
import { browser } from "../support/browser.ts";
import { aGroup, aHost, aLocation, anItem } from "../support/makers.ts";
import { alice, api, bob, fieldsOf, reference, service, stranger, visit } from "../support/mod.ts";

setDefaultTimeout(60_000);

const HOST = { name: "sparrow", device_type: "Physical" };

function chunked(...texts: string[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });
}

function vars(text: string) {
  return api(alice).post("/network/hosts", `{"name":"sparrow","device_type":"Physical",${text}}`);
}

describe("a body without a length", () => {
  test("that is empty is refused like one of length 0", async () => {
    const logged = spyOn(log, "error");
    for (const [count, body] of [chunked(), chunked("", "")].entries()) {
      const { status } = await api(bob).post("/inventory/locations", body);
      expect(status, `${2 * count} chunks`).toBe(422);
    }
    expect(logged.mock.calls).toEqual([]);
    logged.mockRestore();
  });

  test("is read like any other", async () => {
    const { status } = await api(bob).post("/inventory/locations", chunked('{"name":', '"Hall"}'));
    expect(status).toBe(201);
  });
});

describe("a number in JSON", () => {
  test.each([
    ["12345678901234567890"],
    ["-12345678901234567890"],
    ["9007199254740993"],
    ["1e400"],
    ["-1e400"],
    ["1e-400"],
    ["0.1000000000000000055511151231257827"],
    [`0.${"0".repeat(400)}1`],
  ])("that would lose precision, %s, is refused with its position", async (number) => {
    for (const [text, field] of [
      [`"automation_vars":{"a":${number}}`, "automation_vars.a"],
      [`"automation_vars":{"a\\"b":[1,{"c":2,"d":${number}}]}`, 'automation_vars.a"b.1.d'],
      [`"is_ioc":${number}`, "is_ioc"],
    ] as const) {
      const { status, body } = await vars(text);
      expect([status, fieldsOf(body)]).toEqual([422, [field]]);
    }
    const group = `{"name":"birds","type":"static","vars":{"a":${number}}}`;
    const { status, body } = await api(alice).post("/network/groups", group);
    expect([status, fieldsOf(body)]).toEqual([422, ["vars.a"]]);
  });

  test.each([
    ["0", 0],
    ["-0.0", 0],
    ["1.10", 1.1],
    ["1E5", 100_000],
    ["12345678901234567000", 12345678901234567000],
    ["9007199254740992", 2 ** 53],
    ["1e308", 1e308],
    ["5e-324", 5e-324],
    ["0.1", 0.1],
    ["100000000000000000000000", 1e23],
  ])("that keeps its value, %s, is returned unchanged", async (number, value) => {
    const { status, body } = await vars(`"automation_vars":{"a":[${number}]}`);
    expect(status).toBe(201);
    expect(body.automation_vars.a[0] + 0).toBe(value);
  });

  test("in the variables of a form is accepted or refused in the same way", async () => {
    await aHost(HOST);
    await aGroup({ name: "birds" });
    const own = await browser(alice);
    for (const text of ["a: 12345678901234567890", '{"a": 12345678901234567890}', "a: 1e400"]) {
      for (const [path, fields] of [
        ["/network/hosts/edit/sparrow", { automation_vars: text }],
        ["/network/groups/edit/birds", { vars: text, type: "static" }],
      ] as const) {
        const { status } = await own.submit(path, fields);
        expect([path, text, status]).toEqual([path, text, 422]);
      }
    }
    const quoted = { automation_vars: 'a: "12345678901234567890"' };
    expect((await own.submit("/network/hosts/edit/sparrow", quoted)).status).toBe(303);
  });
});

describe("variables", () => {
  const long = "k".repeat(LONGEST_VARIABLE_NAME + 1);
  const nested = (name: string): object =>
    Array.from({ length: 11 }).reduce<object>((inner) => ({ [name]: inner }), {});
  const TOO_MUCH: Array<[string, object]> = [
    ["a name of 2.7 kB", { ["k".repeat(2_700)]: 1 }],
    ["a name that is too long", { [long]: 1 }],
    ["a name that is too long, deep inside", { a: [{ b: { [long]: 1 } }] }],
    ["names that are too long together", nested("ü".repeat(100))],
    [
      "too many",
      Object.fromEntries(Array.from({ length: MOST_VARIABLES + 1 }, (_, at) => [`k${at}`, 1])),
    ],
    ["too many in a list", { a: Array.from({ length: MOST_VARIABLES }, () => 1) }],
  ];

  test.each(TOO_MUCH)("of %s are refused", async (_, given) => {
    const host = await api(alice).post("/network/hosts", { ...HOST, automation_vars: given });
    expect([host.status, fieldsOf(host.body)]).toEqual([422, ["automation_vars"]]);
    const group = { name: "birds", type: "static", vars: given };
    const { status, body } = await api(alice).post("/network/groups", group);
    expect([status, fieldsOf(body)]).toEqual([422, ["vars"]]);
  });

  test("of the maximal size and number are stored and found", async () => {
    const path = "ü".repeat(127);
    // Text that cannot be compressed, of four bytes for each character.
    const text = Array.from({ length: 1_000 }, (_, at) =>
      String.fromCodePoint(0x20000 + ((at * 7_919) % 40_000)),
    ).join("");
    const deep = { [path]: { [path]: { [path]: { [path.slice(0, 117)]: text } } } };
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`k${at}`, at]));
    const automation_vars = { ...deep, ...many };
    const { status } = await api(alice).post("/network/hosts", { ...HOST, automation_vars });
    expect(status).toBe(201);
    const found = await api(bob).get("/network/hosts/search?q=automation_vars.k8999:8999");
    expect(found.body.length).toBe(1);
  });
});

describe("text", () => {
  const marks = "a\u0301\u0316".repeat(1) + "\u0301".repeat(4_000) + "\u0316".repeat(4_000);

  test("with thousands of combining marks on a letter is refused before it is normalized", async () => {
    const { status, body } = await api(bob).post("/inventory/locations", { name: marks });
    expect([status, fieldsOf(body)]).toEqual([422, ["name"]]);
    const login = { username: marks.slice(0, 5_000), password: "x" };
    expect((await api(stranger).post("/user/login", login)).status).toBe(422);
    const own = await browser(alice);
    const found = await own.get(`/find?q=${encodeURIComponent(marks.slice(0, 3_000))}`);
    expect(found.status).toBeLessThan(500);
  });

  test("is normalized in one module, which checks combining marks first", async () => {
    const places: string[] = [];
    for (const path of new Bun.Glob("{src,pages}/**/*.{ts,tsx}").scanSync(
      `${import.meta.dir}/../..`,
    )) {
      const code = await Bun.file(`${import.meta.dir}/../../${path}`).text();
      if (code.includes(".normalize(")) places.push(path);
    }
    expect(places).toEqual(["src/input/text.ts"]);
  });

  test("may have as many combining marks as real scripts use", async () => {
    const { status, body } = await api(bob).post("/inventory/locations", {
      name: `a${"\u0316".repeat(15)}${"\u0301".repeat(15)}`,
    });
    expect([status, body.name]).toEqual([
      201,
      `\u00e1${"\u0316".repeat(15)}${"\u0301".repeat(14)}`,
    ]);
  });
});

describe("too many", () => {
  test("values of a body, fields of a form and parameters of a URL are refused", async () => {
    const list = JSON.stringify({ name: Array.from({ length: MOST_VALUES }, () => 1) });
    expect((await api(bob).post("/inventory/locations", list)).status).toBe(422);
    const own = await browser(alice);
    const headers = {
      cookie: own.cookie,
      "sec-fetch-site": "same-origin",
      "content-type": "application/x-www-form-urlencoded",
    };
    const many = (path: string, count: number) =>
      visit(path, { method: "POST", headers, body: "a&".repeat(count) });
    expect((await many("/network/networks/create", MOST_FIELDS + 1)).status).toBe(422);
    expect((await many("/user/login", 12_000)).status).toBe(422);
    for (const path of ["/inventory/locations?", "/network/hosts/search?q=x&"]) {
      const { status, body } = await visit(`/api/v1${path}${"a&".repeat(1_500)}`);
      expect([status, fieldsOf(body)], path).toEqual([422, ["query"]]);
    }
    expect(
      (await api(bob).get(`/inventory/locations?sort=${"name,".repeat(5_000)}id`)).status,
    ).toBe(422);
  });

  test("errors are not all listed", async () => {
    const items = Array.from({ length: 20_000 }, () => 1);
    const { status, body } = await api(alice).post("/network/hosts", { ...HOST, items });
    expect([status, body.errors.length <= 100]).toEqual([422, true]);
  });

  test("characters of a path are refused, and of cookies are ignored", async () => {
    const { status } = await visit(`/inventory/${"x".repeat(5_000)}`);
    expect(status).toBe(414);
    const own = await browser(alice);
    const profile = (cookie: string) => visit("/user/profile", { headers: { cookie } });
    expect((await profile(own.cookie)).status).toBe(200);
    expect((await profile(`${own.cookie}; a=${"x".repeat(20_000)}`)).status).toBe(303);
  });
});

describe("a PATCH that changes nothing", () => {
  test("returns the record, whichever field it names", async () => {
    const { origin } = await service();
    const { paths }: { paths: Record<string, any> } = await reference();
    await aHost(HOST);
    const { ics_id } = await anItem();
    await aLocation();
    let tried = 0;
    for (const [path, { patch }] of Object.entries(paths)) {
      if (!patch || !path.includes("{id")) continue;
      const list = path.replace(/\/\{.*$/, "").replace("/api/v1", "");
      const { body } = await api(alice).get(list);
      const fields = patch.requestBody?.content?.["application/json"]?.schema.properties ?? {};
      for (const record of Array.isArray(body) ? body.slice(-1) : []) {
        for (const field of Object.keys(fields).filter((one) => one in record)) {
          const given = { [field]: record[field] };
          const answer = await api(alice, origin).patch(`${list}/${record.id}`, given);
          expect([path, given, answer.status]).toEqual([path, given, 200]);
          tried += 1;
        }
      }
    }
    expect(tried).toBeGreaterThan(20);
    expect((await api(alice).patch(`/inventory/items/${ics_id}`, { ics_id })).status).toBe(200);
  });
});
