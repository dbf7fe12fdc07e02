import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { aHost, api, carol, namesOf, searched } from "../support/mod.ts";
import { names } from "./documents.ts";
import { expected, queries } from "./queries.ts";
import { makeSite } from "./site_made.ts";
import { errors } from "./syntax_errors.ts";

setDefaultTimeout(120_000);

const LIST = "/network/hosts";
const SEARCH = "/network/hosts/search";

function ask(path: string, query: string) {
  const address = `${path}?per_page=100&sort=id&q=${encodeURIComponent(query)}`;
  return searched(() => api(carol).get(address));
}

async function found(path: string, query: string): Promise<string[] | string> {
  const { status, body } = await ask(path, query);
  return status === 200 ? namesOf(body) : body.detail;
}

/** Longer queries do not fit into a URL. */
function isShort([query]: [string, number]): boolean {
  return encodeURIComponent(query).length < 12_000;
}

/** The queries of the table with a wrong result. */
async function wrong(path: string, differently: Record<string, string[]> = {}) {
  const examples = Object.values(queries).flat();
  const answers: unknown[] = [];
  for (const [query, finds] of examples) {
    const given = await found(path, query);
    const wanted = differently[query.trim()] ?? expected(finds);
    if (!Bun.deepEquals(given, wanted)) answers.push([query, given, wanted]);
  }
  return answers;
}

describe("hosts by a query", () => {
  beforeEach(makeSite, 60_000);

  test("are those that the language defines, in the search and in the list; a blank query finds none there", async () => {
    expect(await wrong(SEARCH)).toEqual([]);
    expect(await wrong(LIST, { "": names })).toEqual([]);
  });

  test("are returned complete with their interfaces and items, and other references by name", async () => {
    const { body, headers } = await ask(SEARCH, "ts2-01");
    expect(headers.get("x-total-count")).toBe("1");
    expect(body).toMatchObject([
      { name: "ts2-01", device_type: expect.any(String), automation_groups: expect.any(Array) },
    ]);
    const { body: records } = await ask(LIST, "ts2-01");
    expect(body[0].interfaces.map(({ name }: { name: string }) => name)).toEqual(
      records[0].interfaces,
    );
    expect(body[0].items.map(({ ics_id }: { ics_id: string }) => ics_id)).toEqual(records[0].items);
    for (const one of body[0].interfaces) expect(one).toMatchObject({ host: "ts2-01" });
  });

  test("are all hosts without a query, page by page, and none with a blank one", async () => {
    const first = await api(carol).get(`${SEARCH}?per_page=10&sort=-name`);
    expect(namesOf(first.body)).toEqual(names.toSorted().toReversed().slice(0, 10));
    expect(first.headers.get("x-total-count")).toBe(String(names.length));
    expect(first.headers.get("link")).toContain("/search?sort=-name&per_page=10&page=2");
    for (const blank of ["", "%20", "%09%20"]) {
      const none = await api(carol).get(`${SEARCH}?q=${blank}`);
      expect(
        [none.status, none.body, none.headers.get("x-total-count")],
        JSON.stringify(blank),
      ).toEqual([200, [], "0"]);
    }
  });
});

test("the id of a host needs its field name: a bare number matches any field", async () => {
  const { id, name } = await aHost();
  await aHost();
  expect(await found(SEARCH, `id:${id}`)).toEqual([name]);
  expect(await found(SEARCH, `id:[${id} TO ${id}]`)).toEqual([name]);
  expect(await found(SEARCH, String(id))).toEqual([]);
});

describe("text in another script", () => {
  test.each([
    ["तापमान सेंसर", "तापमान"],
    ["อุณหภูมิ ห้อง", "อุณหภูมิ"],
    ["İzmir, DİYARBAKIR", "DİYARBAKIR"],
    ["x́ is 2½ in", "x́"],
    ["ΣΑΣ ΟΔΟΣ", "οδος"],
  ])("is found in a description: %s", async (description, word) => {
    const { name } = await aHost({ description });
    for (const other of ["something else", "तप मन", "izmir diyarbakir x is 2 in"]) {
      await aHost({ description: other });
    }
    for (const query of [word, `description:${word}`, `"${description}"`, `NOT (NOT ${word})`]) {
      expect([query, await found(SEARCH, query)]).toEqual([query, [name]]);
    }
  });

  test("is found in a variable, ignoring case", async () => {
    const { name } = await aHost({ automation_vars: { unit: "Ångström", city: "İzmir" } });
    const queries = ["ångström", "ÅNG*", "*STRÖ*", "/ÅNG.*/", "/[Ä-Ö]NGSTR[ÖÄ]M/", "angström~1"];
    for (const query of queries.map((one) => `automation_vars.unit:${one}`)) {
      expect([query, await found(SEARCH, query)]).toEqual([query, [name]]);
    }
  });
});

test("is found however it is composed, in fields and in variables", async () => {
  const unit = { "caf\u0065\u0301": ["Cafe\u0301 cre\u0300me"] };
  const { name } = await aHost({ description: "Cafe\u0301", automation_vars: { unit } });
  const field = "automation_vars.unit.caf";
  for (const e of ["\u00e9", "e\u0301"]) {
    for (const query of [`caf${e}`, `${field}${e}:*`, `*af${e}\\ cr*`, `"caf${e} cr\u00e8me"`]) {
      expect([query, await found(SEARCH, query)]).toEqual([query, [name]]);
    }
  }
});

describe("an invalid search", () => {
  test("has any parameter that the list of hosts does not have", async () => {
    for (const parameter of [
      "colour=a",
      "recursive=1",
      "name__gte=a",
      "at=2026-01-01",
      "per_page=0",
    ]) {
      const { status, body } = await api(carol).get(`${SEARCH}?${parameter}`);
      expect([parameter, status, body.errors[0].field]).toEqual([
        parameter,
        422,
        parameter.split("=")[0],
      ]);
    }
    const twice = await api(carol).get(`${SEARCH}?q=a&q=b`);
    expect([twice.status, twice.body.errors[0].field]).toEqual([422, "q"]);
  });

  test("is reported with its error and position, in every list", async () => {
    for (const [kind, cases] of Object.entries(errors)) {
      for (const [query, offset] of cases.filter(isShort)) {
        const { status, body } = await ask(SEARCH, query);
        expect([query, status, body.error?.kind, body.error?.offset]).toEqual([
          query,
          422,
          kind,
          offset,
        ]);
        expect(body.errors, query).toEqual([{ field: "q", message: expect.any(String) }]);
      }
    }
    const { body } = await ask("/inventory/items", "a AND (b OR");
    expect(body.error).toEqual({
      kind: "unexpected",
      offset: 11,
      end: 11,
      column: 12,
      expected: ["a term"],
    });
  });
});
