// A thread that keeps vocabularies and looks into them, so that nobody else waits meanwhile.
import { candidates, type Index, indexOf, type Test, tester } from "./vocabulary_index.ts";

export type Order =
  | { kind: "keep"; name: string; json: string }
  | { kind: "forget"; name: string }
  | Look;

export interface Look {
  kind: "look";
  names: readonly string[];
  /** Values besides those that are kept. */
  also: readonly string[];
  test: Test;
  /** Milliseconds. */
  patience: number;
}

export interface Asked {
  number: number;
  order: Order;
}

/** `passed` is missing when there was no time to find out. */
export interface Told {
  number: number;
  passed?: string[] | undefined;
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
    return { number, fault: String(fault) };
  }
}

async function obey(order: Order): Promise<string[] | undefined> {
  switch (order.kind) {
    case "keep":
      indexes.set(order.name, indexOf(JSON.parse(order.json)));
      return [];
    case "forget":
      indexes.delete(order.name);
      return [];
    case "look":
      return look(order);
  }
}

const AT_A_TIME = 64;
const TURN = 20;

/** Others have their turn in between. */
async function look({ names, also, test, patience }: Look): Promise<string[] | undefined> {
  const until = performance.now() + patience;
  const isPassing = tester(test);
  const passed = new Set<string>();
  let turn = performance.now() + TURN;
  for (const values of [also, ...names.map((name) => candidates(found(name), test))]) {
    for (let at = 0; at < values.length; at += AT_A_TIME) {
      for (const value of values.slice(at, at + AT_A_TIME)) if (isPassing(value)) passed.add(value);
      if (performance.now() < turn) continue;
      if (performance.now() > until) return undefined;
      await Bun.sleep(0);
      turn = performance.now() + TURN;
    }
  }
  return [...passed];
}

function found(name: string): Index {
  const index = indexes.get(name);
  if (!index) throw new Error(`There is no vocabulary ${name}`);
  return index;
}
