// The client for Python, run by python3 against the service.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { OpenApiDocument } from "../../src/api/openapi.ts";
import { add, aFeedNetwork } from "../support/feed_network.ts";
import { aLocation, alice, api, carol, inOrder, PASSWORD, service, visit } from "../support/mod.ts";
import { folder, isMissing, run } from "../support/programs.ts";
import { FOLDER, lacksMypy, program, shown } from "./python.ts";
import { RECORDS, recordsOf } from "./python_records.ts";
import { aProxy } from "./tcp_proxy.ts";

setDefaultTimeout(60_000);

const FILES = [...new Glob("*/*.py").scanSync({ cwd: FOLDER })].map((path) => join(FOLDER, path));

/** A proxy before the service. */
async function proxied() {
  return aProxy((await service()).origin);
}

function locations(count: number, name = "Hall") {
  return inOrder(
    Array.from({ length: count }, (_, at) => () => aLocation({ name: `${name} ${at}` })),
  );
}

describe.skipIf(isMissing("python3"))("the code", () => {
  test("is Python 3.9, and below 900 lines", async () => {
    const lines = FILES.map((path) => readFileSync(path, "utf8").split("\n").length - 1);
    expect(lines.length).toBeGreaterThan(6);
    expect(lines.reduce((sum, one) => sum + one)).toBeLessThan(900);
    const parse =
      "import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), feature_version=(3, 9))";
    expect((await run(["python3", "-c", parse, ...FILES])).said).toBe("");
    const compiled = await run(["python3", "-m", "compileall", "-q", FOLDER], {
      PYTHONPYCACHEPREFIX: folder(),
    });
    expect([compiled.code, compiled.said]).toEqual([0, ""]);
  });

  test("has the records of the OpenAPI document", async () => {
    const { body } = await visit("/api/v1/openapi.json");
    expect(recordsOf(body as OpenApiDocument)).toBe(await Bun.file(RECORDS).text());
  });

  test.skipIf(lacksMypy)("passes mypy --strict", async () => {
    const { code, said } = await run(["mypy", "--strict", "--cache-dir", folder(), ...FILES]);
    expect([code, said]).toEqual([0, expect.stringContaining("no issues found")]);
  });
});

/** A Python with all that a wheel needs; none is downloaded. */
const BUILDER = ["python3", "/usr/bin/python3"].find(
  (one) => Bun.spawnSync([one, "-c", "import setuptools, wheel, pip"]).exitCode === 0,
);

test.skipIf(BUILDER === undefined)("a wheel is built without a network, and works", async () => {
  const [copy, made, installed] = [folder(), folder(), folder()];
  await run(["cp", "-r", `${FOLDER}/.`, copy]);
  const pip = [BUILDER!, "-m", "pip"];
  const offline = ["--no-index", "--no-deps"];
  const built = await run([...pip, "wheel", ...offline, "--no-build-isolation", "-w", made, copy]);
  expect(built.code, built.said).toBe(0);
  const [wheel = ""] = readdirSync(made);
  expect(wheel).toMatch(/^cadastre_client-.*-py3-none-any\.whl$/);
  await run([...pip, "install", ...offline, "--target", installed, join(made, wheel)]);
  const script = "import csentry, cadastre; print(cadastre.Client().profile()['username'])";
  const { out, err } = await program(script, { env: { PYTHONPATH: installed } });
  expect([out, err]).toEqual(["alice\n", ""]);
  expect(await Bun.file(join(installed, "cadastre/py.typed")).exists()).toBe(true);
});

describe.skipIf(isMissing("python3"))("a list", () => {
  test("is walked without loss or repetition while records are made and deleted", async () => {
    await locations(30, "Kept");
    await locations(30, "Gone");
    const { values } = await shown(`
gone = [one["id"] for one in client.locations.list(name__startswith="Gone")][::-1]
names = []
for number, one in enumerate(client.locations.list(per_page=7)):
    names.append(one["name"])
    if gone:
        client.locations.delete(gone.pop())
    if number < 40:
        client.locations.create(name=f"Made {number}")
show(names)
`);
    const names: string[] = values[0][0];
    expect(names.filter((name) => name.startsWith("Kept")).length).toBe(30);
    expect(names.filter((name) => name.startsWith("Made")).length).toBe(40);
    // The later half of them was deleted before the walk came there.
    expect(names.filter((name) => name.startsWith("Gone")).length).toBeLessThan(30);
    expect(new Set(names).size).toBe(names.length);
  });

  test("has filters, a query and chosen fields", async () => {
    await aFeedNetwork();
    const { values } = await shown(`
def names(**filters):
    return [one["name"] for one in client.hosts.list(**filters)]

show(names(network=["Office", "Backup"]), names(q="db*"), names(is_ioc=True), names(name__startswith="v"))
show(list(client.hosts.list(fields=["name", "device_type"], name="web")))
show(refused(lambda: names(network=None)), refused(lambda: names(network=[])))
show(refused(lambda: names(sort="name")), refused(lambda: names(nmae="web")))
`);
    expect(values).toEqual([
      [["web", "db", "vault"], ["db"], ["db"], ["vault"]],
      [[{ name: "web", device_type: "Virtual" }]],
      Array(2).fill([
        "ValueError",
        "network has no value: leave it out, or use network__isnull=True",
      ]),
      [
        [
          "Invalid",
          "GET /network/hosts: sort: A walk by cursor is in the order of ids; leave this out",
        ],
        ["Invalid", "GET /network/hosts: nmae: This list has no such parameter"],
      ],
    ]);
  });

  test("goes on where it was when the server comes back, in this process and in another", async () => {
    await locations(7);
    const proxy = await proxied();
    proxy.plan.push("pass", "refuse");
    const { values } = await shown(
      `
names = []
walk = client.locations.list(per_page=3)
try:
    names += (one["name"] for one in walk)
except Unreachable as error:
    show(names, str(error), error.code, error.cursor == walk.cursor, error.cursor)
show([one["name"] for one in walk])
`,
      { origin: proxy.origin },
    );
    const [[before, sentence, code, isSame, cursor], [after]] = values;
    expect(sentence).toStartWith("GET /inventory/locations: no answer: ");
    expect([code, isSame]).toEqual(["unreachable", true]);
    expect(before).toEqual(["Hall 0", "Hall 1", "Hall 2"]);
    const rest = ["Hall 3", "Hall 4", "Hall 5", "Hall 6"];
    expect(after).toEqual(rest);
    const other = await shown(
      `show([one["name"] for one in client.locations.list(per_page=3, cursor=${JSON.stringify(cursor)})])`,
    );
    expect(other.values).toEqual([[rest]]);
  });

  test("is read through while the server is away or busy for a moment", async () => {
    await locations(7);
    const proxy = await proxied();
    proxy.plan.push("pass", "refuse", "cut", "busy", "pass");
    const { values, err } = await shown(
      `show([one["name"] for one in client.locations.list(per_page=3)])`,
      { origin: proxy.origin, patience: 60 },
    );
    expect(values[0][0]).toEqual(Array.from({ length: 7 }, (_, at) => `Hall ${at}`));
    // As the proxy says in Retry-After.
    expect(err.split("\n")[2]).toContain("trying again in 1.0 seconds");
    expect(err.split("trying again").length - 1).toBe(3);
  });

  test("of too many filters says so", async () => {
    await locations(2);
    const { values } = await shown(`
many = ["Hall 0", "Hall 1"] + [f"No such hall of a long name {number}" for number in range(250)]
show(refused(lambda: list(client.locations.list(per_page=1, name=many))))
`);
    expect(values).toEqual([
      [["CadastreError", "The filters are too long for a walk: ask for fewer values at a time"]],
    ]);
  });
});

describe.skipIf(isMissing("python3"))("a write", () => {
  test("creates, finds, changes, deletes and undoes", async () => {
    const { values } = await shown(`
made = client.locations.create(name="Hall", description="Dusty")
show(client.locations.find("hall") == made, client.locations.find("Hell"))
changed = client.locations.update(made["id"], description=None)
show(changed["name"], changed["description"])
undone = client.undo(changed)
show(undone["undoes"] == change_set_of(changed), client.locations.get(made["id"])["description"])
deleted = client.locations.delete(made["id"])
show(refused(lambda: client.locations.get(made["id"])))
client.undo(deleted)
show([one["name"] for one in client.locations.list()])
show([one["kind"] for one in client.changes()], [one["kind"] for one in client.changes(after="0")])
`);
    const { id } = (await api(alice).get("/inventory/locations")).body[0];
    expect(values).toEqual([
      [true, null],
      ["Hall", null],
      [true, "Dusty"],
      [["NotFound", expect.stringContaining(`GET /inventory/locations/${id}: `)]],
      [["Hall"]],
      [
        ["insert", "delete", "update", "update", "insert"],
        ["insert", "update", "update", "delete", "insert"],
      ],
    ]);
  });

  test("is tried without being done", async () => {
    const { values } = await shown(`
made = client.locations.create(dry_run=True, name="Hall")
show(made["name"], change_set_of(made), list(client.locations.list()))
made = client.locations.create(name="Hall")
client.locations.update(made, dry_run=True, name="Other")
client.locations.delete(made, dry_run=True)
imported = client.items.import_rows([{"serial_number": "1"}], dry_run=True)
show(imported.applied, imported.change_set, [one["name"] for one in client.locations.list()])
`);
    expect(values).toEqual([
      ["Hall", null, []],
      [1, null, ["Hall"]],
    ]);
  });

  test("of a new record whose answer is lost creates one record", async () => {
    const proxy = await proxied();
    proxy.plan.push("cut", "refuse");
    const { values, err } = await shown(
      `
client.hosts.create(name="web", device_type="Virtual")
show([one["name"] for one in client.hosts.list()], len(list(client.changes())))
`,
      { origin: proxy.origin, patience: 60 },
    );
    expect(values).toEqual([[["web"], 1]]);
    expect(err).toContain("POST /network/hosts: no answer: ");
    const [first, second] = proxy.requests.map(
      (head) => /^idempotency-key: (.+)$/im.exec(head)?.[1],
    );
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first!);
  });

  test("that deletes, and whose answer is lost, has deleted", async () => {
    const { id } = await aLocation();
    const proxy = await proxied();
    proxy.plan.push("cut");
    const { values } = await shown(
      `
client.locations.delete(${id})
show(list(client.locations.list()), refused(lambda: client.locations.delete(${id})))
`,
      { origin: proxy.origin, patience: 60 },
    );
    expect(values[0]).toEqual([[], ["NotFound", expect.any(String)]]);
  });

  test("of a record that was changed meanwhile is refused, also if it is from a list", async () => {
    await aLocation({ name: "Hall" });
    const { values } = await shown(`
[listed] = client.locations.list()
read = client.locations.get(listed["id"])
short, = client.locations.list(fields=["id", "name"])
show(etag_of(listed), etag_of(read)[:2])
client.locations.update(listed, description="Dusty")
for old in (listed, read):
    show(refused(lambda: client.locations.update(old, description="Clean")))
    show(refused(lambda: client.locations.delete(old)))
try:
    client.locations.update(read["id"], if_match=etag_of(read), name="Other")
except Changed as error:
    show(error.status, error.code)
show(client.locations.update(short, name="Room")["description"])
new = client.locations.get(listed["id"])
show(etag_of(client.locations.update(new, name="Hall")) != etag_of(new))
`);
    const [etags, ...others] = values;
    expect(etags).toEqual([null, '"v']);
    const changed = [["Changed", expect.stringContaining("changed since")]];
    expect(others).toEqual([
      ...[changed, changed, changed, changed],
      [412, "changed_since"],
      ["Dusty"],
      [true],
    ]);
  });

  test("whose first answer is lost says so if the version does not match then", async () => {
    await aLocation({ name: "Hall" });
    const proxy = await proxied();
    proxy.plan.push("pass", "pass", "cut");
    const { values } = await shown(
      `
hall = client.locations.find("Hall")
show(refused(lambda: client.locations.update(hall, name="Room")))
show(client.locations.get(hall["id"])["name"])
`,
      { origin: proxy.origin, patience: 60 },
    );
    expect(values).toEqual([
      [
        [
          "Changed",
          expect.stringContaining(", perhaps by this request: its first answer was lost"),
        ],
      ],
      ["Room"],
    ]);
  });

  test("that is refused names code, fields and request, in one sentence", async () => {
    await aLocation({ name: "Hall" });
    const { values } = await shown(`
try:
    client.locations.create(name="Hall")
except Invalid as error:
    show(str(error), error.status, error.code, error.errors, len(error.request_id) > 5)
show(refused(lambda: client.hosts.create(name="a b", device_type=1)))
`);
    const message = "This name is taken";
    expect(values[0]).toEqual([
      `POST /inventory/locations: name: ${message}`,
      422,
      "name_taken",
      [{ field: "name", message, code: "name_taken" }],
      true,
    ]);
    expect(values[1][0]).toEqual([
      "Invalid",
      expect.stringMatching(/^POST \/network\/hosts: name: [^\n]+; device_type: [^\n]+$/),
    ]);
  });

  test("by somebody who may not is refused", async () => {
    const { values } = await shown(`show(refused(lambda: client.domains.create(name="a.org")))`, {
      person: carol,
    });
    expect(values[0][0]).toEqual([
      "RightMissing",
      expect.stringContaining("POST /network/domains"),
    ]);
  });

  test("comments on an item", async () => {
    const { values } = await shown(`
item = client.items.create(serial_number="1")
comments = client.comments(item["ics_id"])
made = comments.create(body="Dusty")
comments.update(made, body="Clean")
show([one["body"] for one in comments.list()], client.items.get(item["ics_id"])["comments"])
comments.delete(made["id"])
show(list(comments.list()))
`);
    expect(values).toEqual([[["Clean"], ["Clean"]], [[]]]);
  });
});

describe.skipIf(isMissing("python3"))("put", () => {
  test("says whether it made, changed or left a record, and tries it", async () => {
    const { values } = await shown(`
def put(**options):
    done = client.locations.put("Hall A/B", **options)
    show(done.outcome, done.record and done.record["description"], done.change_set is not None)
    return done

put(description="Dusty", dry_run=True)
put(description="Dusty")
put(description="Dusty")
changed = put(description="Clean")
put()
show(refused(lambda: put(colour="red")))
client.undo(changed)
show([(one["name"], one["description"]) for one in client.locations.list()])
`);
    expect(values).toEqual([
      ["made", "Dusty", false],
      ["made", "Dusty", true],
      ["unchanged", null, false],
      ["changed", "Clean", true],
      ["unchanged", null, false],
      [["Invalid", expect.stringMatching(/^PUT \S+Hall%20A%2FB: colour: /)]],
      [[["Hall A/B", "Dusty"]]],
    ]);
  });

  test("keeps to the version that was read", async () => {
    const { values } = await shown(`
web = client.hosts.put("web", device_type="Virtual").record
show(client.hosts.put("web", description="Old", if_match=etag_of(web)).outcome)
show(refused(lambda: client.hosts.put("web", description="New", if_match=etag_of(web))))
`);
    expect(values).toEqual([["changed"], [["Changed", expect.stringContaining("changed since")]]]);
  });

  test.each([
    ["scopes", "name"],
    ["networks", "vlan_name"],
    ["items", "ics_id"],
    ["macs", "address"],
  ])("finds %s by %s", async (kind, key) => {
    await aFeedNetwork();
    await add("../inventory/items", { ics_id: "AAA001", serial_number: "1" });
    await add("../inventory/macs", { address: "02:42:42:00:00:01" });
    const { values } = await shown(`
for one in client.${kind}.list():
    show(client.${kind}.put(one["${key}"]).outcome, client.${kind}.find(one["${key}"]) == client.${kind}.get(one["id"]))
`);
    expect(values.length).toBeGreaterThan(0);
    expect(values).toEqual(values.map(() => ["unchanged", true]));
  });
});

describe.skipIf(isMissing("python3"))("an import", () => {
  test("creates and changes records as one change", async () => {
    const { values } = await shown(`
rows = [{"ics_id": f"AAA00{number}", "serial_number": str(number)} for number in range(3)]
imported = client.items.import_rows(rows)
show(imported.applied, imported.refused, [one["verdict"] for one in imported.verdicts])
client.undo(imported)
show(list(client.items.list()))
`);
    expect(values).toEqual([[3, 0, ["new", "new", "new"]], [[]]]);
  });

  test("with a refused row names it and writes nothing, unless the good ones are wanted", async () => {
    const { values } = await shown(`
rows = [{"serial_number": "1"}, {"serial_number": "2", "status": "Lost"}]
try:
    client.items.import_rows(rows)
except Invalid as error:
    show(str(error), error.errors)
show(list(client.items.list()), client.items.import_rows(rows, apply="good").applied)
`);
    const message = "'Lost' is not a valid status";
    expect(values).toEqual([
      [
        `POST /inventory/items/import: nothing was imported, there are errors: 1, first in line 2: status: ${message}`,
        [{ line: 2, field: "status", message, code: "unknown_record" }],
      ],
      [[], 1],
    ]);
  });
});

describe.skipIf(isMissing("python3"))("events", () => {
  test("come once and in order, also after the connection was lost", async () => {
    const proxy = await proxied();
    proxy.plan.push("pass", "one event", "pass", "refuse", "busy");
    const { values } = await shown(
      `
first = client.domains.create(name="one.example.org")
events = client.events(after=change_set_of(first), kind="domains")
made = [change_set_of(Client("${(await service()).origin}").domains.create(name="two.example.org"))]
came = [next(events)["id"]]
made += [change_set_of(Client("${(await service()).origin}").domains.create(name=f"{name}.example.org")) for name in ("three", "four")]
came += [next(events)["id"], next(events)["id"]]
show(made, came)
`,
      { origin: proxy.origin },
    );
    const [[made, came]] = values;
    expect(came).toEqual(made);
    const last = proxy.requests.at(-1)!;
    expect(last).toStartWith("GET /api/v1/events?kind=domains ");
    expect(last.toLowerCase()).toContain(`last-event-id: ${made[0]}`);
  });

  test("that may not be followed are refused", async () => {
    const { values } = await shown(`show(refused(lambda: next(client.events(kind="nothing"))))`);
    expect(values[0][0]).toEqual(["Invalid", expect.stringContaining("GET /events: kind: ")]);
  });

  test("of the past are listed from where the last list ended", async () => {
    const { values } = await shown(`
client.domains.create(name="one.example.org")
walk = client.changes(after="0")
show(len(list(walk)))
client.domains.create(name="two.example.org")
show([one["events"][0]["name"] for one in client.changes(after=walk.cursor)])
`);
    expect(values).toEqual([[1], [["two.example.org"]]]);
  });
});

describe.skipIf(isMissing("python3"))("a token", () => {
  test("is of a login, too", async () => {
    const { values } = await shown(`
by_password = Client(username="carol", password=${JSON.stringify(PASSWORD)})
show(by_password.profile()["username"], repr(by_password))
show(refused(lambda: Client(username="carol", password="wrong")))
`);
    const { origin } = await service();
    expect(values).toEqual([
      ["carol", `<cadastre.Client at ${origin}>`],
      [["NotAuthenticated", expect.stringMatching(/^POST \/user\/login: [^\n]+$/)]],
    ]);
  });

  test("that is not valid any more says so, and appears nowhere", async () => {
    const { body } = await api(alice).post("/user/tokens", { description: "Script" });
    await api(alice).delete(`/user/tokens/${body.id}`);
    const code = `
import http.client, logging, cadastre
logging.basicConfig(level=logging.DEBUG)
http.client.HTTPConnection.debuglevel = 1
client = cadastre.Client()
print(client, vars(client), client.__dict__)
client.hosts.get(1)
`;
    const { code: status, out, err } = await program(code, { env: { CADASTRE_TOKEN: body.token } });
    expect(status).toBe(1);
    expect(out + err).not.toContain(body.token);
    expect(err).toContain(
      "NotAuthenticated: GET /network/hosts/1: The token is not valid any more: make a new one on your profile page, or log in\n",
    );
  });

  test("goes to no other server", async () => {
    const heads: string[] = [];
    const other = Bun.serve({
      port: 0,
      fetch: ({ headers }) => {
        heads.push(JSON.stringify(headers));
        return Response.json([]);
      },
    });
    const moved = Bun.serve({
      port: 0,
      fetch: () => Response.redirect(`${other.url.origin}/api/v1/network/hosts`, 307),
    });
    const { values } = await shown(`show(refused(lambda: list(client.hosts.list())))`, {
      origin: moved.url.origin,
    });
    await Promise.all([other.stop(true), moved.stop(true)]);
    expect(values[0][0]).toEqual([
      "CadastreError",
      `GET /network/hosts: the answer 307, which leads to ${other.url.origin}/api/v1/network/hosts, is not one of Cadastre`,
    ]);
    expect(heads).toEqual([]);
  });

  test("and the address are required, and checked", async () => {
    const { values } = await shown(`
import os
show(refused(lambda: Client("ftp://example.org")), refused(lambda: Client("https://bob:secret@example.org")))
show(refused(lambda: Client(token="cad_\\n1")))
del os.environ["CADASTRE_TOKEN"]
show(refused(lambda: Client()))
del os.environ["CADASTRE_URL"]
show(refused(lambda: Client(token="cad_1")))
`);
    const sentences = values.flat().map(([kind, sentence]: string[]) => `${kind}: ${sentence}`);
    expect(sentences).toEqual([
      "ValueError: The address of the server begins with https:// or http://",
      "ValueError: The address of the server has no user, no ? and no #",
      "ValueError: The token has characters that no token has",
      "ValueError: Give a token, or set CADASTRE_TOKEN",
      "ValueError: Give the url of the server, or set CADASTRE_URL",
    ]);
  });

  test.skipIf(isMissing("openssl"))("is sent to a server whose certificate is valid", async () => {
    const [key, certificate] = ["key.pem", "cert.pem"].map((name) => join(made, name));
    const request = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost`;
    await run(["openssl", ...request.split(" "), "-keyout", key!, "-out", certificate!]);
    const { origin } = await service();
    let requests = 0;
    const server = Bun.serve({
      port: 0,
      tls: { key: Bun.file(key!), cert: Bun.file(certificate!) },
      fetch: (received) => {
        requests += 1;
        return fetch(origin + new URL(received.url).pathname, received);
      },
    });
    const { values } = await shown(
      `
show(refused(client.profile))
show(Client(cafile=sys.argv[1]).profile()["username"])
`,
      { origin: `https://localhost:${server.port}`, args: [certificate!] },
    );
    await server.stop(true);
    expect(values).toEqual([
      [
        [
          "CadastreError",
          expect.stringContaining("GET /user/profile: the certificate is not valid"),
        ],
      ],
      ["alice"],
    ]);
    expect(requests).toBe(1);
  });
});

const made = folder();

describe.skipIf(isMissing("python3"))("an answer", () => {
  test("that takes too long is given up", async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
    const drips = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket) => {
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
          const drip = setInterval(() => socket.write("[") > 0 || clearInterval(drip), 100);
        },
      },
    });
    const { values } = await shown(
      [silent, drips]
        .map(
          ({ port }) =>
            `show(refused(Client("http://127.0.0.1:${port}", timeout=1, patience=0).profile))`,
        )
        .join("\n"),
    );
    silent.stop(true);
    drips.stop(true);
    expect(values).toEqual([
      [["Unreachable", "GET /user/profile: no answer: timed out"]],
      [["Unreachable", "GET /user/profile: no answer: the answer takes too long"]],
    ]);
  });

  test("of something else than Cadastre is recognized", async () => {
    const other = Bun.serve({
      port: 0,
      fetch: ({ url }) => new Response("<p>Hello", { status: url.includes("hosts") ? 200 : 418 }),
    });
    const { values } = await shown(
      `show(refused(lambda: client.hosts.get(1)), refused(client.profile))`,
      { origin: other.url.origin },
    );
    await other.stop(true);
    expect(values[0]).toEqual([
      ["CadastreError", "The answer is not JSON: is this a server of Cadastre?"],
      ["CadastreError", "GET /user/profile: the answer 418 is not one of Cadastre"],
    ]);
  });
});
