// An OpenLDAP server (Debian's slapd) with people and groups, started once for a file of tests.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "ldapts";
import { freePort } from "../../tools/free_port.ts";
import { run } from "./programs.ts";
import { onTeardown } from "./teardown.ts";

const SUFFIX = "dc=example,dc=org";
export const PEOPLE = `ou=people,${SUFFIX}`;
export const GROUPS = `ou=groups,${SUFFIX}`;
const ROOT = { dn: `cn=root,${SUFFIX}`, password: "the root of the directory" };
export const READER = { dn: `cn=reader,${SUFFIX}`, password: "the reader of the directory" };

export interface Slapd {
  ldap: string;
  ldaps: string;
  ldapi: string;
  /** The certificate of the authority, in PEM. The server has one for localhost. */
  ca: string;
  addPerson(uid: string, password: string): Promise<string>;
  addGroup(name: string, members: string[]): Promise<string>;
  rename(dn: string, uid: string): Promise<void>;
  remove(dn: string): Promise<void>;
  /** Nothing is answered until it goes on. */
  freeze(): void;
  goOn(): void;
  /** How many operations it was asked for, without the end of a connection; only with an LDIF. */
  operations(): Promise<number>;
}

let running: Promise<Slapd> | undefined;

export function slapd(): Promise<Slapd> {
  running ??= start();
  return running;
}

/** A server of its own, with the entries of an LDIF besides those that each has, and a log of its operations. */
export function slapdWith(ldif: string): Promise<Slapd> {
  return start(ldif);
}

async function start(ldif?: string): Promise<Slapd> {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-slapd-"));
  const [ldap, ldaps] = [await freePort(), await freePort()];
  const ca = await makeCertificates(folder);
  mkdirSync(join(folder, "data"));
  await Bun.write(join(folder, "slapd.conf"), configuration(folder));
  const socket = join(folder, "ldapi");
  const urls = `ldap://127.0.0.1:${ldap} ldaps://127.0.0.1:${ldaps} ldapi://${encodeURIComponent(socket)}`;
  const log = join(folder, "log");
  if (ldif !== undefined) await load(folder, ldif);
  // Each operation is a line of the level 256.
  const level = ldif === undefined ? "0" : "256";
  const server = Bun.spawn(
    ["/usr/sbin/slapd", "-f", join(folder, "slapd.conf"), "-h", urls, "-d", level],
    { stdio: ["ignore", "ignore", ldif === undefined ? "ignore" : Bun.file(log)] },
  );
  onTeardown(async () => {
    server.kill("SIGCONT");
    server.kill("SIGKILL");
    await server.exited;
    rmSync(folder, { recursive: true, force: true });
    if (ldif === undefined) running = undefined;
  });
  await untilItResponds(`ldap://127.0.0.1:${ldap}`, ldif === undefined);
  return {
    ldap: `ldap://localhost:${ldap}`,
    ldaps: `ldaps://localhost:${ldaps}`,
    ldapi: `ldapi://${socket}`,
    ca,
    ...editing(`ldap://127.0.0.1:${ldap}`),
    freeze: () => server.kill("SIGSTOP"),
    goOn: () => server.kill("SIGCONT"),
    operations: async () => {
      // What was asked before this has an answer, and so a line.
      await asRoot(`ldap://127.0.0.1:${ldap}`, async () => {});
      const lines = (await Bun.file(log).text()).split("\n");
      const own = lines.filter((line) => line.includes(`BIND dn="${ROOT.dn}" method`)).length;
      return (
        lines.filter((line) => / op=\d+ (BIND dn=".*" method|SRCH base|EXT )/.test(line)).length -
        own
      );
    },
  };
}

async function load(folder: string, ldif: string): Promise<void> {
  const path = join(folder, "entries.ldif");
  await Bun.write(path, `${BASE}\n${ldif}`);
  const command = ["slapadd", "-q", "-f", join(folder, "slapd.conf"), "-l", path];
  const { code, said } = await run(command);
  if (code !== 0) throw new Error(said);
}

const BASE = `dn: ${SUFFIX}
objectClass: organization
objectClass: dcObject
o: Example
dc: example

dn: ${PEOPLE}
objectClass: organizationalUnit
ou: people

dn: ${GROUPS}
objectClass: organizationalUnit
ou: groups

dn: ${READER.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${READER.password}
`;

function configuration(folder: string): string {
  const schemas = ["core", "cosine", "inetorgperson"].map(
    (name) => `include /etc/ldap/schema/${name}.schema`,
  );
  return `${schemas.join("\n")}
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile ${folder}/pid
# As many directories do: a bind with an empty password succeeds.
allow bind_anon_dn
TLSCACertificateFile ${folder}/ca.pem
TLSCertificateFile ${folder}/server.pem
TLSCertificateKeyFile ${folder}/server.key
database mdb
suffix "${SUFFIX}"
rootdn "${ROOT.dn}"
rootpw "${ROOT.password}"
directory ${folder}/data
index uid,entryUUID,member,uniqueMember,objectClass eq
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${READER.dn}" read by * none
`;
}

/** An authority, and a certificate for localhost: ca.pem, server.pem and server.key in this folder. */
export async function makeCertificates(folder: string): Promise<string> {
  const at = (name: string) => join(folder, name);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const openssl = async (...args: string[]) => {
    const { code, err } = await run(["openssl", ...args]);
    if (code !== 0) throw new Error(err);
  };
  await openssl(
    ...["req", "-x509", ...key, "-days", "2", "-subj", "/CN=Authority of tests"],
    ...["-keyout", at("ca.key"), "-out", at("ca.pem")],
  );
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  await openssl("req", ...key, ...name, "-keyout", at("server.key"), "-out", at("server.csr"));
  await openssl(
    ...["x509", "-req", "-in", at("server.csr"), "-CA", at("ca.pem"), "-CAkey", at("ca.key")],
    ...["-CAcreateserial", "-days", "2", "-copy_extensions", "copy", "-out", at("server.pem")],
  );
  return Bun.file(at("ca.pem")).text();
}

async function asRoot<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ url, timeout: 10_000, connectTimeout: 10_000 });
  try {
    await client.bind(ROOT.dn, ROOT.password);
    return await work(client);
  } finally {
    await client.unbind();
  }
}

/** Waits until the server answers, and fills an empty one. */
async function untilItResponds(url: string, isEmpty: boolean): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await asRoot(url, async (client) => {
        if (!isEmpty) return;
        const organization = {
          objectClass: ["organization", "dcObject"],
          o: "Example",
          dc: "example",
        };
        await client.add(SUFFIX, organization);
        for (const dn of [PEOPLE, GROUPS]) {
          const [, ou = ""] = /^ou=([^,]+)/.exec(dn) ?? [];
          await client.add(dn, { objectClass: "organizationalUnit", ou });
        }
        await client.add(READER.dn, {
          objectClass: ["organizationalRole", "simpleSecurityObject"],
          cn: "reader",
          userPassword: READER.password,
        });
      });
    } catch (error) {
      if (attempt === 100) throw error;
      await Bun.sleep(100);
    }
  }
}

function editing(url: string) {
  const edit = (work: (client: Client) => Promise<unknown>) => asRoot(url, work).then(() => {});
  return {
    addPerson: async (uid: string, password: string) => {
      const dn = `uid=${uid},${PEOPLE}`;
      const person = {
        objectClass: "inetOrgPerson",
        uid,
        cn: `Person ${uid}`,
        sn: uid,
        mail: `${uid}@example.org`,
        userPassword: password,
      };
      await edit((client) => client.add(dn, person));
      return dn;
    },
    addGroup: async (cn: string, member: string[]) => {
      const dn = `cn=${cn},${GROUPS}`;
      await edit((client) => client.add(dn, { objectClass: "groupOfNames", cn, member }));
      return dn;
    },
    rename: (dn: string, uid: string) => edit((client) => client.modifyDN(dn, `uid=${uid}`)),
    remove: (dn: string) => edit((client) => client.del(dn)),
  };
}
