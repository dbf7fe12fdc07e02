import { describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { closed, compiled, REFERS_TO } from "../../src/input/shape.ts";
import { resources } from "../../src/resources.ts";
import { changeFields, creationFields } from "../../src/store/resource.ts";
import {
  aLocation,
  alice,
  anItem,
  api,
  bob,
  carol,
  fieldsOf,
  service,
  stranger,
  visit,
} from "../support/mod.ts";

const PATH = "/inventory/locations";
const HUGE = 2 ** 53;
const MIB = 1024 * 1024;

async function isEmpty(): Promise<boolean> {
  return (await api(bob).get(PATH)).body.length === 0;
}

describe("an error response", () => {
  test("is problem+json, with the sentence in both fields and the request id", async () => {
    const { status, body, headers } = await api(bob).post(PATH, { colour: "red" });
    expect(status).toBe(422);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(body).toEqual({
      status: 422,
      title: "Unprocessable Content",
      detail: "name: This field is required; colour: Unknown field",
      message: body.detail,
      code: "not_valid",
      errors: [
        { field: "name", message: "This field is required" },
        { field: "colour", message: "Unknown field" },
      ],
      request_id: headers.get("x-request-id")!,
    });
  });

  test("of 401, 403, 404 and 405 names no fields", async () => {
    const answers = [
      await api(stranger).get(PATH),
      await api(carol).post(PATH, { name: "Hall" }),
      await api(carol).get(`${PATH}/1`),
      await api(carol).send("PUT", PATH),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 403, 404, 405]);
    const titles = ["Unauthorized", "Forbidden", "Not Found", "Method Not Allowed"];
    expect(answers.map(({ body }) => body.title)).toEqual(titles);
    for (const { body } of answers) {
      expect(body.errors, body.title).toBeUndefined();
      expect(body.message, body.title).toBe(body.detail);
    }
  });
});

describe("a reference that is required", () => {
  const required = (schemas: Record<string, TSchema>) =>
    (closed(schemas).required ?? []).flatMap((name) => {
      const schema = schemas[name]!;
      return schema[REFERS_TO] && !compiled(schema).Check(null) ? [[name, schema] as const] : [];
    });
  const sentenceOf = ({ title = "" }: TSchema) =>
    `Choose ${/^[AEIO]/.test(title) ? "an" : "a"} ${title.toLowerCase()}`;
  const cases = resources.flatMap((resource) => {
    const { path } = resource;
    const created = required(creationFields(resource));
    const changed = required(changeFields(resource));
    return [
      ...created.flatMap(([name, schema]) =>
        [undefined, null, "", " "].map(
          (value) => ["POST", path, name, value, sentenceOf(schema)] as const,
        ),
      ),
      ...changed.flatMap(([name, schema]) =>
        [null, ""].map((value) => ["PATCH", `${path}/1`, name, value, sentenceOf(schema)] as const),
      ),
    ];
  });

  test("is found in networks, interfaces, hosts and scopes", () => {
    const fields = cases.map(([method, path, name]) => `${method} ${path} ${name}`);
    expect(fields).toEqual(
      expect.arrayContaining([
        "POST /network/networks scope",
        "POST /network/interfaces network",
        "POST /network/interfaces host",
        "POST /network/hosts device_type",
        "PATCH /network/scopes/1 domain",
      ]),
    );
  });

  test.each(cases)("%s %s refuses %s %j: %s", async (method, path, field, value, message) => {
    const { status, body } = await api(alice).send(method, path, { body: { [field]: value } });
    expect(status).toBe(422);
    expect(body.errors).toContainEqual({ field, message });
  });
});

const WRONG_BODIES = [
  "{",
  '{"name": "Hall",}',
  "{'name': 'Hall'}",
  "name=Hall",
  '{"name": NaN}',
  "[]",
  '[{"name": "Hall"}]',
  "null",
  '"Hall"',
  "7",
  "",
  "\u0000",
  "[".repeat(200_000),
  `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
  '{"name": "\\ud800"}',
  '{"name": "\\udc00\\ud800"}',
  '{"name": "Hall", "\\ud800": 1}',
  '{"name": "Ha\\u0000ll"}',
  `{"name": ${HUGE}}`,
  '{"name": 1e999}',
  '{"name": "Hall", "__proto__": {"admin": true}}',
  '{"name": "Hall", "constructor": 1}',
].map((body) => [JSON.stringify(body.slice(0, 60)), body] as const);

describe("a body", () => {
  test.each(WRONG_BODIES)("of %s is refused and changes nothing", async (_, body) => {
    const { status } = await api(bob).post(PATH, body);
    expect(status).toBe(422);
    expect(await isEmpty()).toBe(true);
  });

  test("that is not UTF-8 is refused", async () => {
    const body = Buffer.from('{"name": "Hall \xff\xfe"}', "latin1");
    const { status } = await api(bob).post(PATH, body);
    expect(status).toBe(422);
    expect(await isEmpty()).toBe(true);
  });

  test("with duplicate keys is refused or takes the last, but creates one record", async () => {
    const { status, body } = await api(bob).post(PATH, '{"name": "First", "name": "Second"}');
    expect([201, 422]).toContain(status);
    if (status === 201) expect(body.name).toBe("Second");
  });

  test("reports every invalid field at once", async () => {
    const { status, body } = await api(bob).post(PATH, { name: 7, description: [], colour: "red" });
    expect(status).toBe(422);
    expect(fieldsOf(body).toSorted()).toEqual(["colour", "description", "name"]);
  });

  test("with a name of 64 KiB is refused with a short response", async () => {
    const { status, body, text } = await api(bob).post(PATH, { name: "x".repeat(65_536) });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual(["name"]);
    expect(text.length).toBeLessThan(1000);
  });

  test("may be at most 1 MiB long", async () => {
    const frame = JSON.stringify({ name: "Hall", description: "" }).length;
    const sized = (size: number) => ({ name: "Hall", description: "x".repeat(size - frame) });
    expect((await api(bob).post(PATH, sized(MIB))).status).toBe(422);
    expect((await api(bob).post(PATH, sized(MIB + 1))).status).toBe(413);
    expect((await api(bob).post(PATH, sized(5 * MIB))).status).toBe(413);
  });

  test("without a length is limited as well", async () => {
    const chunks = (count: number) =>
      new ReadableStream({
        start(controller) {
          for (let sent = 0; sent < count; sent += 1) controller.enqueue(Buffer.alloc(MIB / 4, 32));
          controller.close();
        },
      });
    expect((await api(bob).post(PATH, chunks(8))).status).toBe(413);
    expect((await api(bob).post(PATH, chunks(2))).status).toBe(422);
  });

  test.each([["text/plain"], ["application/x-www-form-urlencoded"], ["application/jsonp"], [""]])(
    "of type %j is not accepted as JSON",
    async (type) => {
      const headers = { "content-type": type };
      const { status } = await api(bob).post(PATH, '{"name": "Hall"}', { headers });
      expect(status).toBe(415);
      expect(await isEmpty()).toBe(true);
    },
  );

  test.each([["application/json; charset=utf-8"], ["APPLICATION/JSON"], ["application/ld+json"]])(
    "of type %j is accepted as JSON",
    async (type) => {
      const headers = { "content-type": type };
      expect((await api(bob).post(PATH, '{"name": "Hall"}', { headers })).status).toBe(201);
    },
  );

  test("is read after authorization: without a token 401, for a reader 403", async () => {
    const bodies = ["{", '{"colour": 1}', "x".repeat(MIB + 1)];
    for (const body of bodies) {
      expect((await api(stranger).post(PATH, body)).status).toBe(401);
      expect((await api(carol).post(PATH, body)).status).toBe(403);
    }
  });
});

describe("an id in a path", () => {
  test.each([
    ["0"],
    ["-1"],
    ["01"],
    ["1.0"],
    ["1e3"],
    ["0x10"],
    ["%201"],
    ["1%00"],
    ["%D9%A1"],
    ["NaN"],
    ["null"],
    ["abc"],
    ["2147483647"],
    ["2147483648"],
    ["4294967297"],
    [String(HUGE)],
    ["9".repeat(400)],
    ["%"],
    ["%ff"],
    ["1'--"],
  ])("that is %s returns 404", async (id) => {
    const answers = [
      await api(alice).get(`${PATH}/${id}`),
      await api(alice).patch(`${PATH}/${id}`, { name: "Hall" }),
      await api(alice).delete(`${PATH}/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

describe("a path", () => {
  test.each([
    ["/inventory/nothing"],
    ["/inventory"],
    ["/"],
    ["/inventory/locations/1/2"],
    ["/INVENTORY/locations"],
    ["//inventory/locations"],
    ["/inventory//locations"],
    ["/inventory%2flocations"],
    ["/inventory/locations;a=1"],
  ])("%s returns 404", async (path) => {
    const { status, headers } = await api(alice).get(path);
    expect(status).toBe(404);
    expect(headers.get("content-type")).toBe("application/problem+json");
  });

  test("may end with a slash", async () => {
    const { id } = await aLocation();
    expect((await api(bob).get(`${PATH}/`)).status).toBe(200);
    expect((await api(bob).get(`${PATH}/${id}/`)).status).toBe(200);
    expect((await api(bob).post(`${PATH}/`, { name: "Hall" })).status).toBe(201);
    expect((await api(bob).get("/user/profile/")).status).toBe(200);
  });
});

describe("a method", () => {
  test("that a path does not have is refused with the list of those that it has", async () => {
    for (const method of ["PUT", "DELETE", "PATCH", "PROPFIND", "OPTIONS"]) {
      const { status, headers } = await api(bob).send(method, PATH);
      expect([method, status]).toEqual([method, 405]);
      expect(headers.get("allow"), method).toBe("GET, HEAD, POST");
    }
    const { headers } = await api(bob).send("PUT", "/user/users/1");
    expect(headers.get("allow")).toBe("GET, HEAD, PATCH, DELETE");
  });

  test("HEAD returns the headers of GET without a body", async () => {
    const { headers } = await api(bob).get(PATH);
    const bearer = { authorization: "Bearer nothing" };
    expect((await visit(`/api/v1${PATH}`, { method: "HEAD", headers: bearer })).status).toBe(401);
    const { status, text, headers: headHeaders } = await api(bob).send("HEAD", PATH);
    expect(status).toBe(200);
    expect(text).toBe("");
    for (const name of ["x-total-count", "link", "etag", "content-type"]) {
      expect([name, headHeaders.get(name)]).toEqual([name, headers.get(name)]);
    }
  });
});

describe("a record that another table refers to", () => {
  test("is refused as in use, also if nobody has described that table", async () => {
    const { sql } = await service();
    const { id } = await anItem();
    await sql`create table loans (item_id integer references items)`;
    try {
      await sql`insert into loans values (${id})`;
      const { status, body } = await api(alice).delete(`/inventory/items/${id}`);
      expect([status, body.errors]).toEqual([
        422,
        [{ field: "id", message: "This item is in use" }],
      ]);
    } finally {
      await sql`drop table loans`;
    }
  });
});

describe("an unknown parameter is refused", () => {
  test("by a list, by a record and by every write", async () => {
    const { id } = await aLocation();
    const answers = [
      await api(alice).get(`${PATH}?colour=red`),
      await api(alice).get(`${PATH}/${id}?colour=red`),
      await api(alice).get("/user/profile?colour=red"),
      await api(alice).post(`${PATH}?colour=red`, { name: "Hall" }),
      await api(alice).patch(`${PATH}/${id}?colour=red`, { name: "Hall" }),
      await api(alice).delete(`${PATH}/${id}?colour=red`),
    ];
    expect(answers.map(({ status, body }) => [status, fieldsOf(body)])).toEqual(
      answers.map(() => [422, ["colour"]]),
    );
    expect((await api(alice).get(`${PATH}/${id}`)).status).toBe(200);
  });

  test.each([
    ["__proto__=1"],
    ["constructor=1"],
    ["toString__ne=1"],
    ["name[]=1"],
    ["name__regex=1"],
  ])("%s, too", async (query) => {
    expect((await api(bob).get(`${PATH}?${query}`)).status).toBe(422);
  });
});
