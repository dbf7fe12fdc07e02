import { describe, expect, test } from "bun:test";
import { alice, api, bob, fieldsOf } from "../support/mod.ts";

const PATH = "/inventory/locations";

async function kept(name: string): Promise<string> {
  const { status, body } = await api(bob).post(PATH, { name });
  expect([name, status]).toEqual([name, 201]);
  expect((await api(bob).get(`${PATH}/${body.id}`)).body.name).toBe(body.name);
  return body.name;
}

describe("text", () => {
  test("is stored as it was sent", async () => {
    for (const name of [
      'Åke\'s "Hall" <b>&amp;</b>',
      "東京 – Зал № 5",
      "\u{1F469}\u200d\u{1F52C} lab",
      "'; drop table locations; --",
      "{{7*7}} %s \\n \\u0000",
      "=1+1",
      "null",
      "007",
      "مختبر",
    ]) {
      expect(await kept(name)).toBe(name);
    }
  });

  test("is trimmed", async () => {
    expect(await kept("  Hall 1 ")).toBe("Hall 1");
    expect(await kept("\u00a0\u2003Hall 2\u3000\ufeff")).toBe("Hall 2");
    expect(await kept("Hall  3")).toBe("Hall  3");
    expect(await kept("\tHall 4\n")).toBe("Hall 4");
  });

  test("is normalized, so that equal-looking names are equal", async () => {
    expect(await kept("A\u030angstro\u0308m")).toBe("\u00c5ngstr\u00f6m");
    const { status } = await api(bob).post(PATH, { name: "\u00c5NGSTR\u00d6M" });
    expect(status).toBe(422);
  });

  test("keeps the lines of a description, with normalized line ends", async () => {
    const { status, body } = await api(bob).post(PATH, {
      name: "Hall",
      description: " first\r\n\tsecond\n\nfourth ",
    });
    expect(status).toBe(201);
    expect(body.description).toBe("first\n\tsecond\n\nfourth");
  });

  test("a blank description is stored as empty", async () => {
    const { status, body } = await api(bob).post(PATH, { name: "Hall", description: "  \n " });
    expect(status).toBe(201);
    expect(["", null]).toContain(body.description);
  });

  test.each([
    ["\u0000"],
    ["\u0001"],
    ["\u0008"],
    ["\u000b"],
    ["\u001b[31m"],
    ["\u007f"],
    ["\u0085"],
    ["\u009f"],
    ["\u202e"],
    ["\u2066"],
    ["\ud800"],
    ["\udfff"],
    ["\ud800\ud800\udc00"],
  ])("with %j in it is refused", async (letter) => {
    for (const fields of [
      { name: `Ha${letter}ll` },
      { name: "Hall", description: `a${letter}b` },
    ]) {
      const { status, body } = await api(bob).post(PATH, fields);
      expect(status, JSON.stringify(fields).slice(0, 80)).toBe(422);
      expect(fieldsOf(body), JSON.stringify(fields).slice(0, 80)).toEqual([
        Object.keys(fields).at(-1)!,
      ]);
    }
    expect((await api(bob).get(PATH)).body).toEqual([]);
  });

  test("may be as long as the field allows, counted in characters", async () => {
    expect(await kept("å".repeat(100))).toHaveLength(100);
    expect((await api(bob).post(PATH, { name: "a".repeat(101) })).status).toBe(422);
    const description = "ä".repeat(10_000);
    const { status, body } = await api(bob).post(PATH, { name: "Hall", description });
    expect(status).toBe(201);
    expect(body.description).toBe(description);
  });
});

test("values of variables come back byte for byte, and are found however they are composed", async () => {
  const [composed, decomposed] = ["Zo\u00eb", "Zoe\u0308"];
  const automation_vars = { owner: decomposed, all: [` ${decomposed} `, { deep: decomposed }] };
  const { body } = await api(alice).post("/network/hosts", {
    name: "zoo-01",
    device_type: "Physical",
    automation_vars,
  });
  expect(body.automation_vars).toEqual(automation_vars);
  for (const text of [composed, decomposed]) {
    const query = encodeURIComponent(`automation_vars.owner:${text}`);
    const found = await api(alice).get(`/network/hosts?q=${query}`);
    expect(found.body.map(({ name }: { name: string }) => name)).toEqual(["zoo-01"]);
  }
  const vars = { owner: decomposed };
  const group = await api(alice).post("/network/groups", { name: "Zoo", type: "static", vars });
  expect([group.status, group.body.vars]).toEqual([201, vars]);
});
