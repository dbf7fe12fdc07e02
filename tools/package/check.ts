// npm run package -- --check: uses the Debian package as an administrator does, in a clean Debian.
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { Failed, requirePrograms } from "./commands.ts";
import { type DebInput, makeDeb } from "./deb.ts";
import { boot, type Machine, makeRoot, until } from "./machine.ts";
import { release } from "./release.ts";

const SETTINGS = "/etc/cadastre/cadastre.env";
const DATA = "/var/lib/cadastre";
/** The most that `systemd-analyze security` may say, times ten. */
const EXPOSURE = 30;
const PORT = 3_456;

/** `first` is the package; one of a later version is made of the same files. */
export async function check(input: DebInput, first: string, cache: string): Promise<void> {
  requirePrograms({ mmdebstrap: "mmdebstrap", unshare: "util-linux", nsenter: "util-linux" });
  if (process.getuid?.() !== 0) throw new Failed("--check starts a systemd, which needs root");
  const work = join(cache, "check");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    const second = makeDeb({ ...input, version: release(2) }, work, ["-Znone"]);
    const root = join(work, "root");
    makeRoot(first, root);
    for (const path of [first, second]) copyFileSync(path, join(root, "root", basename(path)));
    const machine = await boot(root);
    try {
      await install(machine, `/root/${basename(first)}`);
      await upgrade(machine, `/root/${basename(second)}`);
      await remove(machine, `/root/${basename(second)}`);
    } finally {
      await machine.stop();
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function install(machine: Machine, deb: string): Promise<void> {
  const { run } = machine;
  run(installing(deb));
  await serves(machine);
  expect("The service runs as its own user", run("ps -o user= -C cadastre"), /^cadastre$/m);
  expect("Nobody else may read its data", run(`stat -c '%U %a' ${DATA}`), /^cadastre 700$/m);
  const security = `systemd-analyze security --no-pager --threshold=${EXPOSURE} cadastre.service`;
  expect("The service is hardened", run(security), /Overall exposure level .*: [0-3]\.\d/);
  run("echo 'a long enough password' | cadastre user add tester --password-stdin");
  expect("Root manages the users of the service", run("cadastre user list"), /^tester$/m);
  expect("PostgreSQL runs", run("cadastre doctor; true"), /PostgreSQL .* answers/);
  await setUp(machine);
  const killed = "pkill -KILL -o postgres; sleep 1; cadastre health";
  await until("PostgreSQL to be started again", () => run(killed));
}

/** Beside the running service, by root. */
async function setUp(machine: Machine): Promise<void> {
  const { run } = machine;
  run(`echo 'AUDIT_DAYS="77"' >>${SETTINGS}`);
  const said = run(`cadastre setup --port ${PORT} --public-url http://cadastre.example`);
  expect("Setup names the command to start", said, /^Start +systemctl restart cadastre$/m);
  expect("Setup names the address", said, /^Open +http:\/\/cadastre\.example$/m);
  expect("Root owns the settings", run(`stat -c '%U %a' ${SETTINGS}`), /^root 600$/m);
  const foreign = `find ${DATA} ! -user cadastre | head -n 5; echo none`;
  expect("The service owns its data", run(foreign), /^none\n$/);
  run("systemctl restart cadastre");
  await serves(machine);
  expect("The settings are in force", run("cadastre health; cadastre doctor; true"), /3456/);
}

async function upgrade(machine: Machine, deb: string): Promise<void> {
  const { run } = machine;
  run(installing(deb));
  await serves(machine);
  expect("An upgrade keeps the data", run("cadastre user list"), /^tester$/m);
  expect("An upgrade keeps the settings", run(`cat ${SETTINGS}`), /^AUDIT_DAYS="77"$/m);
}

async function remove(machine: Machine, deb: string): Promise<void> {
  const { run } = machine;
  run("apt-get remove -q -y cadastre");
  expect("Removal ends the service", run("pgrep -l 'cadastre|postgres' || echo none"), /^none$/m);
  expect("Removal keeps the data", run(`ls ${DATA}`), /^postgres$/m);
  expect("Removal keeps the settings", run(`cat ${SETTINGS}`), /^AUDIT_DAYS="77"$/m);
  run("dpkg --purge cadastre");
  expect("A purge without an answer keeps the data", run(`ls ${DATA}`), /^postgres$/m);
  expect("A purge deletes the settings", run("ls /etc/cadastre 2>&1 || true"), /No such file/);
  run(installing(deb));
  await serves(machine);
  expect("The kept data is used again", run("cadastre user list"), /^tester$/m);
  run("echo 'cadastre cadastre/purge-data boolean true' | debconf-set-selections");
  run("apt-get purge -q -y cadastre");
  expect("A purge with a yes deletes the data", run(`ls ${DATA} 2>&1 || true`), /No such file/);
}

function installing(deb: string): string {
  return `apt-get install -q -y ${deb}`;
}

async function serves({ run }: Machine): Promise<void> {
  try {
    await until("the service to serve", () => run("cadastre health"));
  } catch (error) {
    throw new Failed(`${error}\n${run("journalctl --no-pager -u cadastre | tail -n 50")}`);
  }
}

function expect(what: string, found: string, wanted: RegExp): void {
  const match = wanted.exec(found);
  if (!match) throw new Failed(`Not so: ${what}\n${found}`);
  console.log(`  ${what}: ${match[0].trim()}`);
}
