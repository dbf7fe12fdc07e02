import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { allChecks } from "../support/checks.ts";
import { endAll } from "./processes.ts";
import { aServer, cadastre, type Server, serving } from "./program.ts";

const LIMIT = 400_000;

let server: Server;
/** The default demo data. */
let demo: Filled;

beforeAll(async () => {
  server = await aServer();
  demo = await filled();
}, LIMIT);
afterEach(endAll);
afterAll(() => server.stop());

describe("cadastre seed", () => {
  test(
    "fills an empty database with the same data every time, and prints the password once",
    async () => {
      const [one, other] = [demo.database, await server.database()];
      expect(demo.code).toBe(0);
      const password = /The new users have the password (\S+)$/.exec(demo.out)?.[1];
      const [admin, next] = demo.out.split("\n").toReversed().slice(1);
      expect(admin).toMatch(/^The first admin is 'alice', with the password \S+$/);
      expect(next).toBe("Next: cadastre serve");
      await cadastre(["seed", "--password-stdin"], {
        ...on(other),
        input: "a secret of our own\n",
      });
      expect(await contentsOf(one)).toEqual(await contentsOf(other));
      expect((await contentsOf(one)).length).toBeGreaterThan(250);
      const app = await serving(on(one).settings);
      expect(await login(app.origin, "bob", password)).toBe(200);
      const another = await serving(on(other).settings);
      expect(await login(another.origin, "carol", "a secret of our own")).toBe(200);
    },
    LIMIT,
  );

  test(
    "creates equipment: labelled, in crates and racks, moved, repaired and commented over the year",
    async () => {
      const found = await look(demo.database);
      expect(found.items).toBeGreaterThan(300);
      expect(found.labels).toBe(found.items);
      expect(found.deepest).toBe(3);
      expect(found.moves).toBeGreaterThan(found.items);
      for (const kept of ["comments", "macs"]) expect(found[kept], kept).toBeGreaterThan(40);
      expect(found.days).toBeGreaterThan(250);
      expect(found.files).toEqual(["hosts", "items", "locations", "models"]);
      expect(found.ahead).toBe(0);
    },
    LIMIT,
  );

  test(
    "refuses a database with data, unless it may add the demo data to it",
    async () => {
      const { database } = demo;
      const refused = await run(database, "seed");
      expect(refused.code).toBe(1);
      expect(refused.err).toContain("The database has data: add --force");
      const wrong = await run(database, "seed", "--force", "--items", "many");
      expect(wrong.code).not.toBe(0);
      expect(wrong.err).toContain("--items takes a whole number");
      expect((await run(database, "seed", "--force")).out).toBe(
        "The demo data is in. New users: none\nNext: cadastre serve",
      );
    },
    LIMIT,
  );
});

describe.skipIf(!allChecks)("cadastre seed, for a large set", () => {
  let many: Filled;
  beforeAll(async () => {
    many = await filledSlowly("--items", "2001", "--hosts", "600");
  }, LIMIT);

  test(
    "creates the requested number of items, each with its label, author and history",
    async () => {
      expect(many.code).toBe(0);
      expect((await run(many.database, "user", "list")).out).toMatch(/^alison$/m);
      const found = await look(many.database);
      expect(found).toMatchObject({ items: 2_001, labels: 2_001, untold: 0, anonymous: 0 });
      expect(found.inside).toBeGreaterThan(1_600);
      expect(found.ahead).toBe(0);
    },
    LIMIT,
  );

  test(
    "creates networks and the requested number of hosts, each with three addresses",
    async () => {
      const sql = new SQL({ url: many.database, adapter: "postgres", max: 1 });
      const [found] = await sql`
        select (select count(*)::int from hosts) as hosts, (select count(*)::int from interfaces) as interfaces,
          (select count(*)::int from full_names) as names, (select count(*)::int from cnames) as cnames,
          (select array_agg(distinct split_part(name, '-', 1) order by split_part(name, '-', 1)) from scopes) as scopes,
          (select count(*)::int from networks where sensitive) as sensitive,
          (select count(*)::int from networks where admin_only) as reserved,
          (select count(*)::int from hosts where is_ioc) as iocs,
          (select count(*)::int from groups where vars <> '{}') as telling,
          (select count(*)::int from group_children) as nested,
          (select count(*)::int from items where host_id is not null) as mounted,
          (select count(*)::int from interfaces join networks on networks.id = network_id
            where not ip <<= address) as astray,
          (select count(*)::int from hosts where not exists (
            select from changes where table_name = 'hosts' and row_id = hosts.id and action = 'insert')) as untold`;
      await sql.close();
      expect(found).toMatchObject({ hosts: 600, names: 600, astray: 0, untold: 0 });
      expect(found.scopes).toEqual(["Control", "DMZ", "Laboratory", "Office", "Site"]);
      expect(found.interfaces).toBeGreaterThan(1_600);
      for (const some of ["sensitive", "reserved", "nested", "mounted"]) {
        expect(found[some], some).toBeGreaterThan(0);
      }
      for (const many of ["iocs", "telling", "cnames"]) {
        expect(found[many], many).toBeGreaterThan(5);
      }
    },
    LIMIT,
  );
});

describe("cadastre doctor", () => {
  test(
    "finds no problem with a service that runs",
    async () => {
      const database = await server.migrated();
      const app = await serving(on(database).settings);
      const settings = { ...on(database).settings, PORT: new URL(app.origin).port };
      const { code, out } = await cadastre(["doctor"], { settings });
      expect(out).not.toContain("problem");
      expect(out).toContain("Cadastre serves at port");
      expect(code).toBe(0);
    },
    LIMIT,
  );

  test(
    "finds free addresses that are not those that the interfaces leave",
    async () => {
      const { settings } = on(await server.migrated());
      const sql = new SQL({ url: settings.DATABASE_URL, adapter: "postgres", max: 1 });
      await sql.unsafe(`
        insert into users (username, groups) values ('root', '{admin}');
        insert into domains (name) values ('example.org');
        insert into scopes (name, first_vlan, last_vlan, supernet, domain_id) values ('Lab', 1, 9, '10.1.0.0/16', 1);
        insert into networks (vlan_name, vlan_id, address, first_ip, last_ip, scope_id, domain_id)
        values ('Lab', 1, '10.1.0.0/24', '10.1.0.1', '10.1.0.9', 1, 1)`);
      const right = await cadastre(["doctor"], { settings });
      expect(right.out).toContain("The free addresses of all networks are right");
      await sql`update free_addresses set first = '10.1.0.2'`;
      const wrong = await cadastre(["doctor"], { settings });
      expect(wrong.out).toMatch(/^problem {2}The free addresses of Lab are not those that /m);
      await sql.close();
    },
    LIMIT,
  );

  test(
    "names each problem and its solution, and shows no secret",
    async () => {
      const database = await server.database();
      const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
      const settings = { ...on(database).settings, PORT: String(taken.port), DATA_DIR: "/proc" };
      const { code, out, err } = await cadastre(["doctor"], { settings });
      taken.stop(true);
      expect({ code, err }).toEqual({ code: 1, err: "3 problems" });
      expect(out).toMatch(/^problem {2}The data directory \/proc /m);
      expect(out).toMatch(/^problem {2}Port \d+ on 127.0.0.1 is taken/m);
      expect(out).toMatch(/^problem {2}The database lacks 0001_schema.*: run cadastre migrate$/m);
      expect(out.match(/^problem .*\n +\$ \S+/gm)).toHaveLength(3);
      expect(out).toMatch(/migrate\n +\$ cadastre migrate$/m);
      const wrongSetting = { ...settings, AUDIT_DAYS: "0" };
      const invalid = await cadastre(["doctor"], { settings: wrongSetting });
      expect(invalid.code).toBe(1);
      expect(invalid.out).toMatch(/^problem {2}AUDIT_DAYS must be .*\n +\$ unset AUDIT_DAYS$/);
      const away = { ...settings, DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x" };
      const other = await cadastre(["doctor"], { settings: away });
      expect(other.out).toMatch(/^problem {2}No database answers at 127.0.0.1:1\/x/m);
      expect(other.out).not.toContain("secret");
    },
    LIMIT,
  );
});

describe("cadastre health", () => {
  test(
    "succeeds while the service can serve, else says why not",
    async () => {
      const database = await server.migrated();
      const app = await serving(on(database).settings);
      const settings = { PORT: new URL(app.origin).port };
      const health = () => cadastre(["health"], { settings });
      expect(await health()).toEqual({ code: 0, out: "Cadastre serves", err: "" });
      const sql = new SQL({ url: await server.database(), adapter: "postgres", max: 1 });
      await sql.unsafe(`drop database ${new URL(database).pathname.slice(1)} with (force)`);
      await sql.close();
      expect(await health()).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^Cadastre cannot serve: /),
      });
      app.child.kill("SIGKILL");
      await app.ended;
      expect(await health()).toMatchObject({ code: 1, err: `Nothing answers at ${app.origin}` });
    },
    LIMIT,
  );
});

interface Filled {
  database: string;
  code: number;
  out: string;
}

async function filled(...args: string[]): Promise<Filled> {
  const database = await server.database();
  return { database, ...(await run(database, "seed", ...args)) };
}

/** As a person calls it. */
const BY_HAND = { ADMIN_PASSWORD: "", npm_lifecycle_event: "" };

/** A database with a user that takes longer over some hundred hosts than any request may take. */
async function filledSlowly(...args: string[]): Promise<Filled> {
  const database = await server.database();
  await run(database, "user", "add", "alison");
  const sql = new SQL({ url: database, adapter: "postgres", max: 1 });
  await sql.unsafe(`
    create function dawdle() returns trigger language plpgsql as $$
    begin
      if (select count(*) from added) > 500 then perform pg_sleep(6.5); end if;
      return null;
    end $$;
    create trigger dawdle after insert on hosts referencing new table as added
      for each statement execute function dawdle()`);
  await sql.close();
  return { database, ...(await run(database, "seed", "--force", ...args)) };
}

function on(database: string) {
  return { settings: { DATABASE_URL: database } };
}

function run(database: string, ...args: string[]) {
  return cadastre(args, { settings: { ...on(database).settings, ...BY_HAND } });
}

/**
 * The history, without what differs between two installations: ids and start times of requests, and the order in which
 * a statement processed its rows.
 */
async function contentsOf(database: string) {
  const sql = new SQL({ url: database, adapter: "postgres", max: 1 });
  const rows = await sql`
    select changes.at, changes.user_id, table_name, row_id, action, after - 'updated_at' as after
    from changes join change_sets on change_sets.id = change_set
    order by change_set, table_name, row_id, changes.id`;
  await sql.close();
  return [...rows];
}

/** Statistics of the items and their history. */
async function look(database: string) {
  const sql = new SQL({ url: database, adapter: "postgres", max: 1 });
  const [row] = await sql`
    with recursive inside as (
      select id, 1 as depth from items where parent_id is null
      union all select items.id, depth + 1 from items join inside on items.parent_id = inside.id
    )
    select count(*)::int as items, count(parent_id)::int as inside,
      count(*) filter (where ics_id between 'AAA000' and 'YZZ999')::int as labels,
      count(*) filter (where created_by is null)::int as anonymous,
      count(*) filter (where not exists (
        select from changes where table_name = 'items' and row_id = items.id and action = 'insert'))::int as untold,
      (select max(depth) from inside) as deepest,
      (select count(*)::int from changes where table_name = 'items' and action = 'update') as moves,
      (select count(*)::int from comments) as comments, (select count(*)::int from macs) as macs,
      (select extract(day from max(at) - min(at))::int from changes where table_name = 'items') as days,
      (select count(*)::int from changes where at > now()) as ahead,
      (select array_agg(distinct case when item_id is not null then 'items' when model_id is not null then 'models'
        when location_id is not null then 'locations' else 'hosts' end) from files
        join file_parts using (sha256)) as files
    from items`;
  await sql.close();
  return row;
}

async function login(origin: string, username: string, password = ""): Promise<number> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ username, password });
  return (await fetch(`${origin}/api/v1/user/login`, { method: "POST", headers, body })).status;
}
