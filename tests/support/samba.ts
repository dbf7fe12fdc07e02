// A true Active Directory: Debian's samba as domain controller of a domain that is made for the tests.
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Attribute, Change, Client } from "ldapts";
import { allChecks } from "./checks.ts";
import { run } from "./programs.ts";
import { makeCertificates } from "./slapd.ts";
import { onTeardown } from "./teardown.ts";

export const DOMAIN = "DC=ad,DC=example,DC=org";
const USERS = `CN=Users,${DOMAIN}`;
const ADMINISTRATOR = { dn: `CN=Administrator,${USERS}`, password: "Correct-Horse-9-Battery" };
/** An account that may search. */
export const AD_READER = { dn: `CN=reader,${USERS}`, password: "The-Reader-9-Of-Tests" };

/** Making the domain takes 6 s of a processor, and its ports (389, 636) are fixed and need root. */
export const hasActiveDirectory = allChecks && process.getuid?.() === 0;

type Values = Record<string, string | string[]>;

export interface ActiveDirectory {
  ldap: string;
  ldaps: string;
  ca: string;
  addPerson(name: string, password: string, attributes?: Values): Promise<string>;
  /** Returns the DN, and the number by which accounts name their primary group. */
  addGroup(name: string, members: string[]): Promise<{ dn: string; rid: string }>;
  change(dn: string, attributes: Record<string, string>): Promise<void>;
}

export async function activeDirectory(): Promise<ActiveDirectory> {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-samba-"));
  const ca = await makeCertificates(folder);
  await provision(folder);
  await Bun.write(join(folder, "smb.conf"), configuration(folder));
  await untilFree(636);
  const server = Bun.spawn(
    [
      "samba",
      "--foreground",
      "--no-process-group",
      "--model=single",
      "-s",
      join(folder, "smb.conf"),
    ],
    {
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: ["ignore", "ignore", "ignore"],
    },
  );
  onTeardown(async () => {
    server.kill("SIGKILL");
    await server.exited;
    rmSync(folder, { recursive: true, force: true });
  });
  const urls = { ldap: "ldap://localhost:389", ldaps: "ldaps://localhost:636" };
  const edit = editor(urls.ldaps, ca);
  await untilItResponds(edit);
  const directory = { ...urls, ca, ...editing(edit) };
  await directory.change(DOMAIN, { lockoutThreshold: "3" });
  await directory.addPerson("reader", AD_READER.password);
  return directory;
}

/** With a file for the attributes of files, which a container may not set. */
async function provision(folder: string): Promise<void> {
  const { code, said } = await run([
    ...["samba-tool", "domain", "provision", "--realm=AD.EXAMPLE.ORG", "--domain=EXAMPLE"],
    ...["--server-role=dc", "--dns-backend=NONE", "--host-name=dc1", "--host-ip=127.0.0.1"],
    ...[`--adminpass=${ADMINISTRATOR.password}`, `--targetdir=${join(folder, "domain")}`],
    "--option=vfs objects = dfs_samba4 acl_xattr xattr_tdb",
    `--option=xattr_tdb:file = ${join(folder, "attributes.tdb")}`,
  ]);
  if (code !== 0) throw new Error(said);
}

function configuration(folder: string): string {
  const domain = join(folder, "domain");
  return `[global]
netbios name = DC1
realm = AD.EXAMPLE.ORG
workgroup = EXAMPLE
server role = active directory domain controller
server services = ldap
interfaces = lo
bind interfaces only = yes
private dir = ${domain}/private
state directory = ${domain}/state
cache directory = ${domain}
lock directory = ${domain}
pid directory = ${domain}
ncalrpc dir = ${domain}/ncalrpc
log file = ${domain}/log
tls cafile = ${folder}/ca.pem
tls certfile = ${folder}/server.pem
tls keyfile = ${folder}/server.key
[sysvol]
path = ${domain}/state/sysvol
`;
}

type Edit = <T>(work: (client: Client) => Promise<T>) => Promise<T>;

function editor(url: string, ca: string): Edit {
  return async (work) => {
    const tlsOptions = { ca, servername: "localhost" };
    const client = new Client({ url, tlsOptions, timeout: 30_000, connectTimeout: 10_000 });
    try {
      await client.bind(ADMINISTRATOR.dn, ADMINISTRATOR.password);
      return await work(client);
    } finally {
      await client.unbind();
    }
  };
}

/** Another checkout may run the same tests. */
async function untilFree(port: number): Promise<void> {
  for (let attempt = 0; await accepts(port); attempt += 1) {
    if (attempt === 300) throw new Error(`The port ${port} is not free`);
    await Bun.sleep(200);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

async function untilItResponds(edit: Edit): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await edit(async () => {});
    } catch (error) {
      if (attempt === 300) throw error;
      await Bun.sleep(200);
    }
  }
}

function editing(edit: Edit) {
  const add = (dn: string, values: Values, more: Attribute[] = []) => {
    const attributes = Object.entries(values).map(
      ([type, value]) => new Attribute({ type, values: [value].flat() }),
    );
    return edit((client) => client.add(dn, [...attributes, ...more]));
  };
  const change = (dn: string, values: Record<string, string>) =>
    edit(async (client) => {
      for (const [type, value] of Object.entries(values)) {
        const modification = new Attribute({ type, values: [value] });
        await client.modify(dn, new Change({ operation: "replace", modification }));
      }
    });
  return {
    change,
    addPerson: async (name: string, password: string, attributes: Values = {}) => {
      const dn = `CN=${name},${USERS}`;
      const values = [Buffer.from(`"${password}"`, "utf16le")];
      const person = { sAMAccountName: name, displayName: `Person ${name}`, ...attributes };
      const userAccountControl = attributes.userAccountControl ?? "512";
      await add(dn, { objectClass: "user", ...person, userAccountControl }, [
        new Attribute({ type: "unicodePwd", values }),
      ]);
      return dn;
    },
    addGroup: async (name: string, member: string[]) => {
      const dn = `CN=${name},${USERS}`;
      await add(dn, { objectClass: "group", sAMAccountName: name, member });
      const found = await edit((client) =>
        client.search(dn, {
          scope: "base",
          attributes: ["objectSid"],
          explicitBufferAttributes: ["objectSid"],
        }),
      );
      const sid = found.searchEntries[0]?.objectSid;
      return { dn, rid: String(Buffer.isBuffer(sid) ? sid.readUInt32LE(sid.length - 4) : 0) };
    },
  };
}
