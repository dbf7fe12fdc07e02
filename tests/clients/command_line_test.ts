import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endAll, launch, until } from "../running/processes.ts";
import {
  aDomain,
  aHost,
  aLocation,
  alice,
  aNetwork,
  api,
  aStatus,
  bob,
  carol,
  dave,
  idOf,
  PASSWORD,
  serve,
  service,
  tokenOf,
  visit,
} from "../support/mod.ts";
import { aHome, aSite, as, onTerminal, run, shell } from "./command_line.ts";

setDefaultTimeout(120_000);
afterEach(endAll);

const ROOT = join(import.meta.dir, "..", "..");
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
const FILE = "config/cadastre/login.json";

async function login(env: Record<string, string>, person = dave) {
  const { origin } = await service();
  return shell(env, `cadastre login ${origin} --token`, await tokenOf(person));
}

describe("cadastre login", () => {
  test("makes a token with a password that is not shown, and logout revokes it", async () => {
    const env = aHome();
    const { origin } = await service();
    const terminal = onTerminal(env, "bash", "-c", `cadastre login ${origin}`);
    await terminal.shows("User: ");
    terminal.type("dave\r");
    await terminal.shows("Password: ");
    terminal.type(`${PASSWORD}\r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).toContain(`You are dave at ${origin}`);
    expect(terminal.shown()).not.toContain(PASSWORD);
    const { mode } = statSync(join(env.HOME!, FILE));
    expect((mode & 0o777).toString(8)).toBe("600");
    const tokens = await api(dave).get("/user/tokens");
    expect(tokens.body).toMatchObject([{ description: expect.stringMatching(/^cadastre on /) }]);
    expect(await run(env, "call", "getProfile", "-o", "csv", "-q")).toMatchObject({ code: 0 });
    expect(await run(env, "logout")).toMatchObject({
      code: 0,
      err: expect.stringContaining("revoked"),
    });
    expect((await api(dave).get("/user/tokens")).body).toEqual([]);
    expect(existsSync(join(env.HOME!, FILE))).toBe(false);
  });

  test("refuses a wrong password, and asks for none without a terminal", async () => {
    const env = aHome();
    const { origin } = await service();
    const terminal = onTerminal(env, "cadastre", "login", origin, "--user", "dave");
    await terminal.shows("Password: ");
    terminal.type("wrong\r");
    expect(await terminal.ended).toBe(4);
    const { code, err } = await run(env, "login", origin);
    expect([code, err]).toEqual([2, expect.stringContaining("There is no terminal")]);
    expect(existsSync(join(env.HOME!, FILE))).toBe(false);
  });

  test("takes a token from standard input, which logout does not revoke", async () => {
    const env = aHome();
    const token = await tokenOf(dave);
    expect(await login(env)).toMatchObject({ code: 0, out: "" });
    expect((await run(env, "call", "getProfile", "-o", "json")).out).toContain('"dave"');
    expect((await run(env, "logout")).err).toContain("its token is still valid");
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
    expect(await run(env, "hosts", "list")).toMatchObject({
      code: 4,
      err: "There is no login; see cadastre login --help\n",
    });
  });

  test("refuses a file that others can read, unless the environment has a token", async () => {
    const env = aHome();
    await login(env);
    chmodSync(join(env.HOME!, FILE), 0o640);
    const { code, err } = await run(env, "hosts", "list");
    expect([code, err]).toEqual([4, expect.stringMatching(/^Others can read .*login.json/)]);
    const named = { CADASTRE_URL: (await service()).origin, CADASTRE_TOKEN: await tokenOf(carol) };
    const { out } = await run({ ...env, ...named }, "call", "getProfile", "-o", "json");
    expect(JSON.parse(out).username).toBe("carol");
  });

  test("sends its token to no other address", async () => {
    const env = aHome();
    await login(env);
    const got: Array<string | null> = [];
    const other = Bun.serve({
      port: 0,
      fetch: ({ headers }) => {
        got.push(headers.get("authorization"));
        return Response.redirect("http://127.0.0.1:1/", 302);
      },
    });
    const { code, err } = await run({ ...env, CADASTRE_URL: other.url.href }, "hosts", "list");
    await other.stop(true);
    expect([code, got]).toEqual([1, [null]]);
    expect(err).toContain("it says that it is at http://127.0.0.1:1/");
  });

  test("says that a token has ended", async () => {
    const { body } = await api(dave).post("/user/tokens", { description: "Old" });
    const env = { ...(await as(dave)), CADASTRE_TOKEN: body.token };
    expect((await run(env, "hosts", "list")).code).toBe(0);
    await api(dave).delete(`/user/tokens/${body.id}`);
    const { code, err } = await run(env, "hosts", "list");
    expect([code, err]).toEqual([4, expect.stringContaining("log in with cadastre login http")]);
  });
});

describe("cadastre RESOURCE list", () => {
  test("prints tables, JSON, CSV, YAML and lines, without colours where there is no terminal", async () => {
    await aSite();
    const env = await as(carol);
    const list = async (output: string) => {
      const fields = ["--fields", "name,is_ioc,interfaces,description"];
      const { code, out, err } = await run(
        env,
        "hosts",
        "list",
        "scope:Lab",
        "-o",
        output,
        ...fields,
      );
      expect([code, err], output).toEqual([0, ""]);
      return out;
    };
    const record = { name: "web-01", is_ioc: false, interfaces: ["web-01"], description: null };
    expect(await list("table")).toBe(
      "name    is_ioc  interfaces  description\nweb-01  false   web-01\n",
    );
    expect(JSON.parse(await list("json"))).toEqual([record]);
    expect(await list("csv")).toBe(
      "name,is_ioc,interfaces,description\r\nweb-01,false,web-01,\r\n",
    );
    expect(await list("yaml")).toBe(
      "- name: web-01\n  is_ioc: false\n  description: null\n  interfaces:\n    - web-01\n",
    );
    expect(JSON.parse(await list("ndjson"))).toEqual(record);
    expect(JSON.parse((await run(env, "cnames", "list", "-o", "json")).out)).toEqual([]);
  });

  test("quotes in YAML what some readers take for numbers, times and booleans", async () => {
    await aHost({
      name: "quoted",
      automation_vars: {
        mac: "52:54:00:12:34:56",
        day: "2026-01-31",
        no: "off",
        nested: [[1], {}],
      },
    });
    const { out } = await run(await as(carol), "hosts", "get", "quoted", "-o", "yaml");
    expect(out).toContain(
      'vars:\n  "no": "off"\n  day: "2026-01-31"\n  mac: "52:54:00:12:34:56"\n  nested:\n    - - 1\n    - {}\n',
    );
    expect((Bun.YAML.parse(out) as any).automation_vars.nested).toEqual([[1], {}]);
  });

  test("takes filters, a query, an order, and a limit", async () => {
    for (const name of ["web-01", "web-02", "db-01"]) await aHost({ name });
    const env = await as(carol);
    const names = async (...args: string[]) =>
      (await run(env, "hosts", "list", "-o", "csv", "--fields", "name", ...args)).out
        .trim()
        .split("\r\n")
        .slice(1);
    expect(await names("name=web-01", "name=db-01")).toEqual(["web-01", "db-01"]);
    expect(await names("--filter", "name__startswith=web")).toEqual(["web-01", "web-02"]);
    expect(await names("name:web*", "OR", "name:nothing")).toEqual(["web-01", "web-02"]);
    expect(await names("--sort=-name", "--limit", "2")).toEqual(["web-02", "web-01"]);
    expect(await names("-n", "1")).toEqual(["web-01"]);
  });

  test("walks through all pages, by cursor and sorted, with a progress bar on a terminal", async () => {
    await Promise.all(Array.from({ length: 230 }, () => aStatus()));
    const env = await as(carol);
    for (const args of [[], ["--sort", "id"]]) {
      const { out } = await run(env, "statuses", "list", "-o", "ndjson", ...args);
      const ids = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id);
      expect(ids, args.join(" ")).toEqual(ids.toSorted((one, other) => one - other));
      expect(new Set(ids).size).toBe(230);
    }
    expect(
      (await run(env, "statuses", "list", "-o", "csv", "-n", "150")).out.trim().split("\r\n"),
    ).toHaveLength(151);
    const terminal = onTerminal(env, "bash", "-c", "cadastre statuses list -o csv > statuses.csv");
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).toMatch(/\[#{8}-{12}\] 100 of 230/);
    expect(readFileSync(join(env.HOME!, "statuses.csv"), "utf8").split("\n")).toHaveLength(232);
  });

  test("shows on a terminal that an import goes on", async () => {
    const env = await as(bob);
    const rows = Array.from({ length: 400 }, (_, at) => `{"name":"Status ${at}"}\n`).join("");
    writeFileSync(join(env.HOME!, "rows.ndjson"), rows);
    const terminal = onTerminal(env, "cadastre", "statuses", "import", "rows.ndjson");
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).toMatch(/\[#{4}-{16}\] 0 s.*400 rows applied, 0 refused/s);
  });

  test("says how to go on where the service went away", async () => {
    await Promise.all(Array.from({ length: 230 }, () => aStatus()));
    const { origin } = await service();
    let pages = 0;
    const proxy = Bun.serve({
      port: 0,
      fetch: (request) => {
        const { pathname, search } = new URL(request.url);
        if (pathname.endsWith("/statuses") && ++pages > 2) void proxy.stop(true);
        return fetch(origin + pathname + search, request);
      },
    });
    const env = await as(carol, proxy.url.origin);
    const broken = await run(env, "statuses", "list", "-o", "csv", "--fields", "id");
    expect(broken.code).toBe(5);
    expect(broken.err).toContain("200 records came before; go on with --resume ");
    const [, cursor = ""] = /--resume (\S+)/.exec(broken.err) ?? [];
    const rest = await run(
      { ...env, CADASTRE_URL: origin },
      "statuses",
      "list",
      "-o",
      "csv",
      "--fields",
      "id",
      "--resume",
      cursor,
    );
    const ids = (broken.out + rest.out).trim().split("\r\n").slice(1).map(Number);
    expect(ids).toHaveLength(230);
    expect(ids).toEqual([...new Set(ids)]);
    const { code, err } = await run(env, "statuses", "list");
    expect([code, err]).toEqual([5, expect.stringContaining(`${proxy.url.origin} is away`)]);
  });

  test("lets no value write to the terminal, and guards cells of spreadsheets", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    const { sql } = await service();
    const text = "=1\u001b]0;owned\u0007\u009b31m\u202ecod\r\n";
    await sql`update locations set description = ${text} where id = ${id}`;
    const env = await as(carol);
    for (const output of ["table", "json", "yaml", "csv", "ndjson"]) {
      for (const verb of ["list", "get"]) {
        const name = verb === "get" ? ["Hall A"] : [];
        const { out } = await run(env, "locations", verb, ...name, "-o", output);
        expect(out, output).toContain("\\u001b]0;owned\\u0007\\u009b31m\\u202ecod");
        expect(out.replaceAll("\r\n", ""), output).not.toMatch(CONTROL);
      }
    }
    const { out } = await run(env, "locations", "list", "-o", "json");
    expect(JSON.parse(out)[0].description).toBe(text);
    expect((await run(env, "export", "locations", "--fields", "description")).out).toContain(
      `"'=1`,
    );
    const terminal = onTerminal(env, "cadastre", "locations", "list");
    await terminal.ended;
    expect(terminal.shown()).toStartWith("\u001b[1mid");
    expect(terminal.shown()).not.toContain("\u001b]");
    const plain = onTerminal({ ...env, NO_COLOR: "1" }, "cadastre", "locations", "list");
    await plain.ended;
    expect(plain.shown()).not.toContain("\u001b");
  });

  test("fits a table into the terminal", async () => {
    await aSite();
    await api(dave).patch(`/network/hosts/${(await hostNamed("web-01")).id}`, {
      description: "word ".repeat(50),
    });
    const env = { ...(await as(carol)), NO_COLOR: "1" };
    const terminal = onTerminal(env, "cadastre", "hosts", "list", "--fields", "name,description");
    await terminal.ended;
    const lines = terminal.shown().trim().split("\r\n");
    expect(lines[1]).toMatch(/^web-01 {2}word .*…$/);
    expect(Math.max(...lines.map((line) => line.length))).toBe(80);
  });

  test("ends quietly when nobody reads on", async () => {
    await Promise.all(Array.from({ length: 230 }, () => aStatus()));
    const script = "set -o pipefail; cadastre statuses list | head -n 1";
    expect(await shell(await as(carol), script)).toEqual({
      code: 0,
      out: expect.stringMatching(/^id {2,}name.*\n$/),
      err: "",
    });
  });
});

async function hostNamed(name: string) {
  return (await api(alice).get(`/network/hosts?name=${name}`)).body[0];
}

describe("cadastre RESOURCE create, get, set and delete", () => {
  test("write values by their types, and say how to undo", async () => {
    await aSite();
    const env = await as(dave);
    writeFileSync(join(env.HOME!, "note.txt"), "From a file\n");
    const made = await run(
      env,
      ...["hosts", "create", "name=web-02", "device_type=Virtual", "network=CSLab", "is_ioc=yes"],
      ...['automation_vars={"port": 80}', "description=@note.txt", "-o", "json"],
    );
    expect(made.code).toBe(0);
    expect(made.err).toMatch(/^To take this back: cadastre undo [a-z2-7]{26}\n$/);
    expect(JSON.parse(made.out)).toMatchObject({
      name: "web-02",
      is_ioc: true,
      automation_vars: { port: 80 },
      description: "From a file",
    });
    for (const name of ["web", "linux", "a,b"]) await api(alice).post("/network/groups", { name });
    const set = (...args: string[]) => run(env, "hosts", "set", "web-02", "-q", ...args);
    expect(await set("automation_groups=web,linux", "description=")).toMatchObject({
      code: 0,
      err: "",
    });
    expect(await hostNamed("web-02")).toMatchObject({
      automation_groups: ["linux", "web"],
      description: null,
    });
    await set('automation_groups=["a,b"]');
    expect((await hostNamed("web-02")).automation_groups).toEqual(["a,b"]);
    await set("automation_groups=a,b", "automation_groups=web");
    expect((await hostNamed("web-02")).automation_groups).toEqual(["a,b", "web"]);
    await set("automation_groups=", "description=@@home");
    expect(await hostNamed("web-02")).toMatchObject({
      automation_groups: [],
      description: "@home",
    });
    const { out } = await run(env, "hosts", "get", String(JSON.parse(made.out).id));
    expect(out).toContain("\nname               web-02\n");
    expect(out).toContain("\nis_ioc             true\n");
    expect(await run(env, "hosts", "delete", "web-02", "--dry-run")).toMatchObject({
      code: 0,
      err: "A dry run: nothing is written\n",
    });
    expect(await hostNamed("web-02")).toBeDefined();
    expect((await run(env, "hosts", "delete", "web-02")).code).toBe(0);
    expect(await hostNamed("web-02")).toBeUndefined();
  });

  test("change a record only as it was read, with --if-match", async () => {
    await aSite();
    const env = await as(dave);
    const etag = (await run(env, "hosts", "get", "web-01", "--etag")).out.trim();
    expect(etag).toMatch(/^"v1\./);
    const set = (text: string) =>
      run(env, "hosts", "set", "web-01", `description=${text}`, "--if-match", etag);
    expect((await set("first")).code).toBe(0);
    const { code, err } = await set("second");
    expect([code, err]).toEqual([6, expect.stringContaining("has changed since you read it")]);
    expect((await hostNamed("web-01")).description).toBe("first");
  });

  test("are undone by their change", async () => {
    await aSite();
    const env = await as(alice);
    const { err } = await run(env, "hosts", "delete", "web-01");
    const [, change = ""] = /undo (\w+)/.exec(err) ?? [];
    expect(await run(env, "undo", change, "--dry-run")).toMatchObject({ code: 0 });
    expect(await hostNamed("web-01")).toBeUndefined();
    expect((await run(env, "undo", change, "-q")).code).toBe(0);
    expect(await hostNamed("web-01")).toBeDefined();
    const { out } = await run(env, "changes", "--limit", "1", "-o", "json");
    expect(JSON.parse(out)).toMatchObject([{ undoes: change, user: "alice" }]);
    expect((await run(env, "changes", "get", change)).out).toContain("\nundone_by  ");
  });
});

describe("cadastre RESOURCE put", () => {
  test("makes, changes or leaves a record by its name", async () => {
    const env = await as(bob);
    const put = (...args: string[]) => run(env, "locations", "put", "Hall B", "-o", "csv", ...args);
    expect((await put("description=Big", "--dry-run")).code).toBe(0);
    expect((await api(bob).get("/inventory/locations")).body).toEqual([]);
    expect((await put("description=Big")).out).toContain(",Hall B,Big,");
    expect((await put("description=Small")).out).toContain(",Hall B,Small,");
    expect(await put("description=Small")).toEqual({ code: 0, out: "", err: "" });
  });
});

describe("errors are one sentence with the field, and an exit code", () => {
  test.each<[args: string, code: number, message: string]>([
    [
      "hosts set web-01 device_type=Nothing",
      1,
      "device_type: 'Nothing' is not a valid device type",
    ],
    ["hosts create name=web-01 device_type=Virtual", 1, "name: "],
    ["hosts list name:(", 1, "q: "],
    ["hosts list --fields nothing", 1, "fields: There is no field 'nothing'"],
    ["hosts set web-01 colour=red", 2, "colour: This is none of the values name, "],
    ["hosts set web-01 is_ioc=perhaps", 2, "is_ioc: Use true or false"],
    ["hosts set web-01 name=a name=b", 2, "name: Give this once"],
    ["hosts set web-01 description=@missing.txt", 2, "missing.txt cannot be read: "],
    ["hosts get", 2, "ID is missing"],
    ["hosts get web-01 web-02", 2, "'web-02' is not of the form NAME=VALUE"],
    ["hosts rename web-01", 2, "hosts: Say one of list, create, get, set, delete, put, import"],
    ["hots list", 2, "There is no command 'hots'; records are users, "],
    ["hosts list --output xml", 2, "--output: Use one of table, json, csv, yaml, ndjson"],
    ["hosts list --limit many", 2, "--limit: Use a whole number from 1"],
    ["hosts get web-01 --sort name", 2, "Unknown option '--sort'"],
    ["domains set lab.example.org name=a", 2, "domains: Say one of list, "],
    ["call nothing", 2, "There is nothing to call that is called 'nothing'"],
    ["completion tcsh", 2, "Say one of bash, zsh, fish"],
    ["hosts list -n all", 2, "--limit: Use a whole number from 1"],
    ["free", 2, "Give the name of one NETWORK"],
    ["import hosts", 2, "FILE is missing"],
    ["login", 2, "Use it as cadastre login URL"],
    ["login ftp://example.org", 2, "'ftp://example.org' is not an address"],
    ["hosts get web-99", 3, "name: There is no 'web-99'"],
    ["hosts get 999999", 3, "This does not exist, or you may not see it"],
    ["undo a".padEnd(31, "a"), 3, "This does not exist"],
    ["users create username=eve password=long-enough-words", 4, "Only admins may do this"],
  ])("cadastre %s: %i", async (line, code, message) => {
    await aSite();
    const { out, err, ...ended } = await run(await as(dave), ...line.split(" "));
    expect({ ...ended, out }).toEqual({ code, out: "" });
    expect(err).toStartWith(message);
    expect(err.trimEnd()).not.toContain("\n");
  });

  test("a service that is away is 5", async () => {
    const env = await as(dave, "http://127.0.0.1:1");
    expect(await run(env, "hosts", "list")).toMatchObject({
      code: 5,
      err: expect.stringMatching(/^http:\/\/127.0.0.1:1 is away: .*\n$/),
    });
  });
});

describe("cadastre import and export", () => {
  const CSV =
    "name,device_type,network,description\nimp-01,Virtual,CSLab,One\n\nimp-02,Nothing,,\n";

  test("checks rows, refuses all for one, and names its line", async () => {
    await aSite();
    const env = await as(dave);
    const tried = await shell(env, "cadastre import hosts - --dry-run", CSV);
    expect(tried).toEqual({
      code: 1,
      out: "0 rows could be applied, 1 refused\n",
      err: "Line 4: device_type: 'Nothing' is not a valid device type\n",
    });
    expect((await shell(env, "cadastre hosts import -", CSV)).code).toBe(1);
    expect(await hostNamed("imp-01")).toBeUndefined();
    const good = await shell(env, "cadastre import hosts - apply=good", CSV);
    expect(good).toMatchObject({ code: 1, out: "1 rows applied, 1 refused\n" });
    expect(await hostNamed("imp-01")).toMatchObject({ description: "One", interfaces: ["imp-01"] });
    const [, change = ""] = /undo (\w+)/.exec(good.err) ?? [];
    expect((await run(env, "undo", change, "-q")).code).toBe(0);
    expect(await hostNamed("imp-01")).toBeUndefined();
  });

  test("takes lines of JSON, and prints the verdicts", async () => {
    await aSite();
    const line = JSON.stringify({
      serial_number: "S1",
      location: "Hall A",
      macs: ["02:42:42:00:00:09"],
    });
    const { code, out } = await shell(
      await as(bob),
      "cadastre items import - -o ndjson",
      `${line}\n`,
    );
    const lines = out
      .trim()
      .split("\n")
      .map((one) => JSON.parse(one));
    expect([code, lines]).toEqual([
      0,
      [
        expect.objectContaining({ line: 1, verdict: "new" }),
        expect.objectContaining({ applied: 1 }),
      ],
    ]);
  });

  test("takes back what it exported", async () => {
    await aSite();
    const env = await as(dave);
    const script = "cadastre export hosts > all.csv && cadastre import hosts all.csv -o ndjson";
    const { code, out } = await shell(env, script);
    expect([code, out]).toEqual([0, expect.stringContaining('"verdict":"same"')]);
  });

  test("prints the feeds as they are", async () => {
    await aSite();
    const env = await as(carol);
    const zone = await run(env, "export", "zone", "lab.example.org", "ns=ns1.example.org");
    expect(zone.out).toContain("$ORIGIN lab.example.org.\n");
    expect(
      JSON.parse((await run(env, "export", "ansible", "scope=Lab")).out)._meta.hostvars,
    ).toHaveProperty("web-01");
    expect((await run(env, "export", "hosts-file")).out).toBe(
      "10.1.1.2\tweb-01.lab.example.org web-01\n",
    );
    expect(JSON.parse((await run(env, "export", "zones")).out).zones).toHaveLength(2);
  });
});

describe("cadastre free, vars and call", () => {
  test("free prints what the next hosts get", async () => {
    await aSite();
    const env = await as(dave);
    const { out } = await run(env, "free", "CSLab");
    // The gateway is the first address.
    expect(out).toBe("10.1.1.3\n");
    const made = await aHost({ name: "next", network: "CSLab" });
    expect(
      (await run(env, "interfaces", "list", `host=${made.name}`, "--fields", "ip", "-o", "csv"))
        .out,
    ).toContain("10.1.1.3");
    expect((await run(env, "free", "CSLab")).out).toBe("10.1.1.4\n");
  });

  test("free refuses a full network", async () => {
    await aSite();
    await aNetwork({
      vlan_name: "Tiny",
      scope: "Lab",
      address: "10.1.9.0/31",
      first_ip: "10.1.9.0",
      last_ip: "10.1.9.1",
      gateway: null,
    });
    const env = await as(dave);
    expect((await run(env, "free", "Tiny")).out).toBe("10.1.9.0\n");
    for (const name of ["full-1", "full-2"]) await aHost({ name, network: "Tiny" });
    expect(await run(env, "free", "Tiny")).toEqual({
      code: 1,
      out: "",
      err: "There is no free address in Tiny\n",
    });
  });

  test("vars prints the variables and where they come from", async () => {
    await aSite();
    await api(alice).post("/network/groups", {
      name: "web",
      hosts: ["web-01"],
      vars: { port: 80 },
    });
    const { out } = await run(await as(carol), "vars", "web-01");
    expect(Bun.YAML.parse(out)).toMatchObject({
      vars: { port: 80 },
      origins: { port: { group: "web" } },
    });
  });

  test("call has every operation of the document, with its help", async () => {
    await aSite();
    const env = await as(bob);
    const made = await run(env, "call", "addItemComment", "id=AAA001", "body=The fan was replaced");
    expect(made.code).toBe(0);
    const { out } = await run(env, "call", "listItemComments", "AAA001", "-o", "json");
    expect(JSON.parse(out)).toMatchObject([{ body: "The fan was replaced", user: "bob" }]);
    const { body } = await visit("/api/v1/openapi.json");
    const ids = Object.values<any>(body.paths).flatMap((one) => Object.values<any>(one));
    const listed = (await run(env, "call")).out;
    for (const { operationId, summary } of ids)
      expect(listed).toMatch(new RegExp(`^  ${operationId} +${RegExp.escape(summary)}$`, "m"));
    const help = await run(env, "call", "addItemComment", "--help");
    expect(help.out).toContain("Usage: cadastre call addItemComment");
    expect(help.out).toContain("\n  body *");
  });

  test("each level has help with an example", async () => {
    const env = await as(carol);
    for (const line of [
      "hosts",
      "hosts list",
      "hosts create",
      "hosts set",
      "free",
      "login",
      "call",
      "changes",
      "device-types get",
    ]) {
      const { code, out } = await run(env, ...line.split(" "), "--help");
      expect([line, code]).toEqual([line, 0]);
      expect(out).toContain(`Usage: cadastre ${line}`);
      expect(out).toMatch(new RegExp(`^    cadastre ${line}`, "m"));
    }
    expect((await run(env, "--help")).out).toContain("\n  free ");
    const alone = aHome();
    expect((await run(alone, "call", "--help")).out).toStartWith("Usage: cadastre call OPERATION");
  });
});

describe("cadastre changes --follow", () => {
  test("prints each change once, also across a restart of the service", async () => {
    const first = await serve({});
    const { port } = first;
    const env = await as(carol, first.url.origin);
    const following = launch(["cadastre", "changes", "--follow", "-o", "json", "kind=domains"], {
      env,
    });
    await until("the stream", async () => {
      await aDomain();
      return following.said().includes('"kind":"insert"');
    });
    await first.stop(true);
    await aDomain({ name: "missed.example.org" });
    const second = await serve({ PORT: String(port) });
    await until("what was missed", () => following.said().includes("missed.example.org"));
    await aDomain({ name: "last.example.org" });
    await until("the last one", () => following.said().includes("last.example.org"));
    const changes = following
      .said()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    const ids = changes.map((line) => JSON.parse(line).id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(following.said()).toMatch(/is away: .*; trying again/);
    await second.stop(true);
  });

  test("prints a line for each, and ends when the token does", async () => {
    const { body } = await api(carol).post("/user/tokens", { description: "Short" });
    const env = { ...(await as(carol)), CADASTRE_TOKEN: body.token };
    const limited = launch(["cadastre", "changes", "--follow", "--limit", "1"], { env });
    const following = launch(["cadastre", "changes", "--follow"], { env });
    const aLine = /^[\d-]+ [\d:]+ {2}alice {2}insert {2}d\d+\.example\.org {2}[a-z2-7]{26}$/m;
    await until("both streams", async () => {
      await aDomain();
      return [limited, following].every((one) => aLine.test(one.said()));
    });
    expect(await limited.ended).toBe(0);
    expect(limited.said().trim().split("\n")).toHaveLength(1);
    await api(carol).delete(`/user/tokens/${body.id}`);
    expect(await following.ended).toBe(4);
  });
});

test("the client starts without the server", async () => {
  const source = await Bun.file(join(ROOT, "src/main.ts")).text();
  const loaded = [...source.matchAll(/^import .* from "(.*)";$/gm)].map(([, path]) => path);
  expect(loaded).toEqual(["../package.json", "./commands/arguments.ts"]);
});

describe("docs/command-line.md", () => {
  test("has only examples that work", async () => {
    await aSite();
    for (const name of ["web", "linux"]) await api(alice).post("/network/groups", { name });
    const text = await Bun.file(join(ROOT, "docs/command-line.md")).text();
    const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = ""]) => code);
    expect(blocks.length).toBeGreaterThan(8);
    const { origin } = await service();
    const env = aHome();
    const file = (name: string, content: string) => writeFileSync(join(env.HOME!, name), content);
    file("token.txt", await tokenOf(alice));
    file("note.txt", "A note\n");
    file("hosts.csv", "name,device_type,network\nweb-03,Virtual,CSLab\n");
    for (const block of blocks) {
      const script = block.replaceAll("https://cadastre.example.org", origin);
      if (block.includes("--follow")) {
        const following = launch(["bash", "-ec", script], { env, cwd: env.HOME });
        await until("a change", async () => {
          await aHost({ network: "CSLab" });
          return following.said().includes("  alice  insert  ");
        });
      } else if (!/login \S+$/m.test(block)) {
        const { code, err } = await shell(env, `set -e\n${script}`);
        expect([block, code, err.includes("see cadastre")]).toEqual([block, 0, false]);
      } else {
        const terminal = onTerminal(env, "bash", "-ec", script);
        await terminal.shows("User: ");
        terminal.type("alice\r");
        await terminal.shows("Password: ");
        terminal.type(`${PASSWORD}\r`);
        expect([block, await terminal.ended]).toEqual([block, 0]);
      }
    }
    expect(readFileSync(join(env.HOME!, "exported.csv"), "utf8")).toContain("web-03");
    expect(await idOf(alice)).toBeGreaterThan(0);
  });
});
