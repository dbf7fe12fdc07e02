import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "./child.mjs";

const BEAT = 1_000;
/** A lock that was not touched for this long belongs to a killed process. */
const DEAD = 10_000;
const PATIENCE = 10 * 60_000;

/** Does the work while holding the lock. */
export async function withLock(path, work) {
  await acquire(path);
  const beat = setInterval(() => utimesSync(path, new Date(), new Date()), BEAT);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    rmSync(path, { force: true });
  }
}

async function acquire(path) {
  const until = Date.now() + PATIENCE;
  while (!create(path)) {
    if (Date.now() > until)
      throw new UserError(`Somebody else has been installing for too long: ${path}`);
    if (isDead(path)) rmSync(path, { force: true });
    else await sleep(BEAT / 4);
  }
}

function create(path) {
  try {
    writeFileSync(path, "", { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw new UserError(`The packages cannot be installed here: ${error.message}`);
  }
}

function isDead(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > DEAD;
}
