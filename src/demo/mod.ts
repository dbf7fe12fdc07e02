// A year in the life of a neutron source, told through the same doors that everybody uses. It is the
// same year every time, ending today.
import { type Caller, machine } from "../auth/auth.ts";
import { Refusal } from "../input/errors.ts";
import * as accounts from "../user/accounts.ts";
import * as users from "../user/users.ts";
import { attributeStory } from "./attributes.ts";
import { hostStory } from "./hosts.ts";
import { itemStory } from "./items.ts";
import { addHosts } from "./many_hosts.ts";
import { addItems } from "./many_items.ts";
import { knownNames } from "./names.ts";
import { groundStory } from "./networks.ts";
import { people } from "./people.ts";
import type { Happening } from "./story.ts";

const DAYS = 365;
const DAY = 24 * 60 * 60 * 1_000;

/** Fills the database, and answers the accounts that it made, which the password opens. */
export async function fill(
  password: string,
  { items = 0, hosts = 0 }: { items?: number; hosts?: number } = {},
): Promise<string[]> {
  const hired = await hire(password);
  const staff = new Map(await Promise.all(people.map(({ username }) => callerNamed(username))));
  const names = knownNames();
  const story = [...attributeStory(names), ...itemStory(names), ...groundStory(), ...hostStory()];
  for (const { day, by, happen } of story.toSorted(byDay)) {
    const caller = staff.get(by) ?? machine;
    await happen({ ...caller, at: timeOf(day) }).catch(unlessTaken);
  }
  if (items > 0) await addItems(items, timeOf(DAYS));
  if (hosts > 0) await addHosts(hosts, timeOf(DAYS));
  return hired;
}

async function hire(password: string): Promise<string[]> {
  const hired: string[] = [];
  for (const person of people) {
    const email = `${person.username}@example.org`;
    const input = { ...person, email, password };
    const made = await users.create({ ...machine, at: timeOf(0) }, input).catch(unlessTaken);
    if (made) hired.push(person.username);
  }
  return hired;
}

async function callerNamed(username: string): Promise<[string, Caller]> {
  const { id } = await accounts.find(username);
  const groups = people.find((person) => person.username === username)?.groups ?? [];
  return [username, { id, username, groups, read_only: false }];
}

/** Days may have fractions: 3.5 is noon of the fourth. */
function timeOf(day: number): Date {
  const today = Math.floor(Date.now() / DAY) * DAY;
  return new Date(today - (DAYS - day) * DAY);
}

function byDay(one: Happening, other: Happening): number {
  return one.day - other.day;
}

/** Where there is data already, what has the same name stays as it is. */
function unlessTaken(fault: unknown): void {
  if (!(fault instanceof Refusal)) throw fault;
}
