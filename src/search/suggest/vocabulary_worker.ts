// A thread that keeps vocabularies and looks into them, so that nobody else waits meanwhile.
import { remembered } from "../../store/recent_values.ts";
import { readRegex } from "../language/lucene_regex.ts";
import { matcher } from "../language/regex_match.ts";
import { extended, type Index, near, valuesOf } from "./vocabulary_index.ts";

export type Test =
  | { kind: "near"; text: string; distance: number }
  | { kind: "matching"; regex: string };

export type Order =
  /** Values in JSON, sorted, that come behind all that are kept under this name. */
  | { kind: "keep"; name: string; json: string }
  /** Others, which come anywhere among them. */
  | { kind: "add"; name: string; texts: readonly string[] }
  | { kind: "forget"; name: string }
  | Look;

export interface Look {
  kind: "look";
  names: readonly string[];
  test: Test;
  /** Milliseconds. */
  patience: number;
  /** If more of one name pass, it is told that there are more, and nothing else: to send many takes their reader long. */
  most: number;
}

export interface Asked {
  number: number;
  order: Order;
}

/** `passed` is missing when there was no time to find out; else what passes of each name. */
export interface Told {
  number: number;
  passed?: string[][] | undefined;
  isMore?: boolean;
  fault?: string;
}

declare const self: Worker;

const indexes = new Map<string, Index>();

self.onmessage = async ({ data: { number, order } }: MessageEvent<Asked>) => {
  self.postMessage(await told(number, order));
};

async function told(number: number, order: Order): Promise<Told> {
  try {
    return { number, passed: await obey(order) };
  } catch (fault) {
    if (fault instanceof More) return { number, isMore: true };
    return { number, fault: String(fault) };
  }
}

async function obey(order: Order): Promise<string[][] | undefined> {
  switch (order.kind) {
    case "keep":
      indexes.set(order.name, extended(JSON.parse(order.json), indexes.get(order.name)));
      // JavaScriptCore would let thirty megabytes of single values pile up first.
      Bun.gc(true);
      return [];
    case "add":
      indexes.set(order.name, extended([...valuesOf(found(order.name)), ...order.texts].sort()));
      return [];
    case "forget":
      indexes.delete(order.name);
      return [];
    case "look":
      return look(order);
  }
}

class More extends Error {}

/** Milliseconds. */
const TURN = 20;

/** Others have their turn in between. */
async function look({ names, test, patience, most }: Look): Promise<string[][] | undefined> {
  const until = performance.now() + patience;
  let turn = performance.now() + TURN;
  const all: string[][] = [];
  const passingIn = passing(test);
  for (const index of names.map(found)) {
    const passed: string[] = [];
    for (const some of passingIn(index)) {
      passed.push(...some);
      if (passed.length > most) throw new More();
      if (performance.now() < turn) continue;
      if (performance.now() > until) return undefined;
      await Bun.sleep(0);
      turn = performance.now() + TURN;
    }
    all.push(passed);
  }
  return all;
}

function found(name: string): Index {
  const index = indexes.get(name);
  if (!index) throw new Error(`There is no vocabulary ${name}`);
  return index;
}

/** Whoever pages through what is near to a term asks for it again; to find out what is near takes its time. */
const finders = remembered<ReturnType<typeof near>>(4);

/** Made once for all that is looked into; it tells a little at a time. */
function passing(test: Test): (index: Index) => Iterable<string[]> {
  if (test.kind === "near") {
    const { text, distance } = test;
    const find = finders(`${distance} ${text}`, () => near(text, distance));
    return (index) => [find(index)];
  }
  const regex = readRegex(test.regex);
  const isMatch = regex ? matcher(regex) : () => false;
  return function* (index) {
    for (const value of valuesOf(index)) yield isMatch(value) ? [value] : [];
  };
}
