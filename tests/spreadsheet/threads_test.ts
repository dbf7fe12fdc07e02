// Large files are read in threads, while other requests are served.
import { describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { rowsIn } from "../../src/api/import_rows.ts";
import * as limits from "../../src/input/limits.ts";
import { readVars } from "../../src/network/variables/text.ts";
import { readVarsInThread } from "../../src/network/variables/text_thread.ts";
import { readTableInThread } from "../../src/spreadsheet/table_thread.ts";
import { visit } from "../support/api.ts";
import { browser } from "../support/browser.ts";
import { allChecks } from "../support/checks.ts";
import { bob, service, tokenOf } from "../support/mod.ts";
import { aWorkbook } from "../support/sheets.ts";
import { upload } from "../support/upload.ts";

setDefaultTimeout(120_000);

const WANTED = {
  limits: { rows: limits.MOST_ROWS, columns: limits.MOST_COLUMNS },
  columns: ["serial_number"],
  ignored: [],
};

/** A file that is small but slow to read: a filled cell and ninety-nine blank ones in each row. */
function aLongFile(rows: number): Uint8Array {
  const row = (text: string) =>
    `<row><c t="inlineStr"><is><t>${text}</t></is></c>${'<c s="1"/>'.repeat(99)}</row>`;
  return aWorkbook(row("serial_number") + row("SN").repeat(rows));
}

interface Measured<T> {
  result: T;
  /** The longest time for which the event loop was blocked, as a part of the whole. */
  blocked: number;
  /** How many other requests were answered. */
  answered: number;
}

async function measured<T>(work: () => Promise<T>): Promise<Measured<T>> {
  const begun = performance.now();
  let [last, stopped, answered, isDone] = [begun, 0, 0, false];
  const tick = () => {
    stopped = Math.max(stopped, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(tick, 1);
  const working = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const { status } = await visit("/health/live");
    if (status === 200) answered += 1;
  }
  const result = await working;
  tick();
  clearInterval(timer);
  return { result, blocked: stopped / (performance.now() - begun), answered };
}

describe("other requests are answered", () => {
  test("while a spreadsheet is read", async () => {
    const own = await browser(bob);
    const file = aLongFile(2_500);
    await upload(own, "serial_number\nSN\n");
    const { result, blocked, answered } = await measured(() => upload(own, file));
    expect([result.status, result.headers.get("location")]).toEqual([303, expect.any(String)]);
    expect(answered).toBeGreaterThan(3);
    if (allChecks) expect(blocked).toBeLessThan(1 / 2);
  });

  test("while lines of JSON are read", async () => {
    const { origin } = await service();
    const headers = {
      authorization: `Bearer ${await tokenOf(bob)}`,
      "content-type": "application/x-ndjson",
    };
    // Refused one by one, which takes nearly all of the time.
    const line = JSON.stringify({ serial_number: 5, quantity: "many", macs: ["x"], comments: [1] });
    const body = `${line}\n`.repeat(limits.MOST_ROWS);
    const path = "/api/v1/inventory/items/import?dry_run=true";
    const { result, blocked, answered } = await measured(async () => {
      const answer = await fetch(origin + path, { method: "POST", body, headers });
      await answer.bytes();
      return answer.status;
    });
    expect(result).toBe(422);
    expect(answered).toBeGreaterThan(3);
    if (allChecks) expect(blocked).toBeLessThan(1 / 3);
  });
});

describe("many lines of JSON", () => {
  const MIB = 1024 * 1024;
  const comments = Array.from({ length: 20 }, () => "ä".repeat(10_000));
  const line = JSON.stringify({ serial_number: "SN", comments });
  const count = Math.floor(limits.LARGEST_ROWS / (Buffer.byteLength(line) + 1));
  const body = Buffer.from(`${line}\n`.repeat(count));

  test("are never one text, neither to parse nor for an Idempotency-Key", async () => {
    const { origin } = await service();
    const headers = {
      authorization: `Bearer ${await tokenOf(bob)}`,
      "content-type": "application/x-ndjson",
      "idempotency-key": crypto.randomUUID(),
    };
    const longest = longestTexts();
    const answer = await fetch(`${origin}/api/v1/inventory/items/import?dry_run=true`, {
      method: "POST",
      body,
      headers,
    });
    await answer.bytes();
    expect(answer.status).toBe(200);
    expect(body.length).toBeGreaterThan(15 * MIB);
    for (const [name, length] of Object.entries(longest())) {
      expect([name, length]).toEqual([name, Math.min(length, limits.LARGEST_ROW)]);
    }
  });

  test("are answered without a long text, also a second time under one Idempotency-Key", async () => {
    const { origin } = await service();
    const headers = {
      authorization: `Bearer ${await tokenOf(bob)}`,
      "content-type": "application/x-ndjson",
      "idempotency-key": crypto.randomUUID(),
    };
    const rows = Array.from({ length: 200 }, (_, at) =>
      JSON.stringify({
        ics_id: `ABC${100 + at}`,
        serial_number: "SN",
        comments: ["x".repeat(10_000)],
      }),
    );
    const send = async (query = "") => {
      const answer = await fetch(`${origin}/api/v1/inventory/items/import${query}`, {
        method: "POST",
        body: rows.join("\n"),
        headers,
      });
      return [answer.status, await answer.text()];
    };
    const longest = longestTexts();
    const first = await send();
    const again = await send();
    headers["idempotency-key"] = crypto.randomUUID();
    const [status, unchanged] = await send("?dry_run=true");
    const { parse = 0, stringify = 0 } = longest();
    expect(again).toEqual(first);
    expect([first[0], String(first[1]).length > 2 * MIB - 100_000]).toEqual([200, true]);
    expect([status, String(unchanged).match(/"same"/g)?.length]).toEqual([200, 200]);
    expect([parse, stringify].filter((length) => length > limits.LARGEST_ROW)).toEqual([]);
  });

  test("are read in several time slices", async () => {
    // Each line takes six of the ten milliseconds of a slice.
    let clock = performance.now();
    const now = spyOn(performance, "now").mockImplementation(() => {
      clock += 6;
      return clock;
    });
    const turns = await turnsDuring(() => rowsIn(body)).finally(() => now.mockRestore());
    expect(turns).toBeGreaterThan(5);
  });
});

/** The length of the longest text that each of these functions received or returned. */
function longestTexts(): () => Record<string, number> {
  const lengths = (values: unknown[]) =>
    values.map((value) => (typeof value === "string" ? value.length : 0));
  const spies = {
    decode: spyOn(TextDecoder.prototype, "decode"),
    toString: spyOn(Buffer.prototype, "toString"),
    parse: spyOn(JSON, "parse"),
    stringify: spyOn(JSON, "stringify"),
    hash: spyOn(Bun, "hash"),
  };
  return () => {
    const longest = Object.entries(spies).map(([name, { mock }]) => {
      const made = lengths(mock.results.map(({ value }) => value));
      const taken = lengths(mock.calls.map(([first]) => first));
      return [name, Math.max(0, ...made, ...taken)];
    });
    for (const spy of Object.values(spies)) spy.mockRestore();
    return Object.fromEntries(longest);
  };
}

/** How often the event loop ran during the work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  await work().finally(() => clearInterval(timer));
  return turns;
}

test("variables that merge keys make long are read while others are served", async () => {
  const keys = Array.from({ length: 2_000 }, (_, at) => `p${at}: 1`).join();
  const heavy = `a: &a {${keys}}\nb:\n  <<: [${"*a,".repeat(2_000)}*a]\nc: [`;
  const error = (refusal: Error) => refusal.message;
  const turns = await turnsDuring(async () => {
    expect(await readVarsInThread(heavy).catch(error)).toBe("vars: Line 4: Unexpected token");
  });
  expect(turns).toBeGreaterThan(10);
  const late = "vars: These variables take too long to read; use fewer merge keys (<<)";
  expect(await readVarsInThread(heavy, 1).catch(error)).toBe(late);
  const long = Array.from({ length: 900 }, (_, at) => `k${at}: ${at}`).join("\n");
  expect(await readVarsInThread(long)).toEqual(readVars(long));
});

test("a file that is refused is reported beside its field, and the next one is read", async () => {
  const own = await browser(bob);
  const nested = aWorkbook(
    `<row><c><is>${"<t>a".repeat(40_000)}${"</t>".repeat(40_000)}</is></c></row>`,
  );
  const refused: Array<[Uint8Array | string, string]> = [
    [nested, "This file is damaged"],
    ["\n".repeat(14_000_000), "This file has more than 100,000 lines"],
    [",".repeat(14_000_000), "This file has more than 1,000,000 cells"],
  ];
  for (const [file, sentence] of refused) {
    const { status, text } = await upload(own, file);
    expect([status, text]).toEqual([422, expect.stringContaining(sentence)]);
  }
  expect((await upload(own, "serial_number\nSN\n")).status).toBe(303);
});

describe("a thread for each file", () => {
  const file = () => new TextEncoder().encode("serial_number\nSN\n");
  const refusal = (error: Error & { status: number }) => `${error.status} ${error.message}`;

  test("returns the rows by line, and uses no other memory than the file's", async () => {
    const all = Buffer.from("xserial_number\nSN\n\nÄ\nx");
    const table = await readTableInThread(all.subarray(1, -1), WANTED);
    expect(table).toEqual({
      columns: ["serial_number"],
      rows: JSON.stringify({ 2: { serial_number: "SN" }, 4: { serial_number: "Ä" } }),
    });
    expect(all.byteLength).toBe(23);
  });

  test("has a time limit, and frees its slot for the next", async () => {
    for (let round = 0; round <= limits.MOST_READINGS; round += 1) {
      const result = await readTableInThread(aLongFile(2_500), WANTED, 1).catch(refusal);
      expect(result).toBe("422 file: This file takes too long to read; split it");
    }
    expect((await readTableInThread(file(), WANTED)).columns).toEqual(["serial_number"]);
  });

  test("waits while others read, and the queue is limited", async () => {
    const most = limits.MOST_READINGS + limits.MOST_WAITING_READINGS;
    const readings = Array.from({ length: most + 2 }, () =>
      readTableInThread(file(), WANTED).then(() => "read", refusal),
    );
    const busy = "503 Too many files are being read; try again shortly";
    expect(await Promise.all(readings)).toEqual([...Array(most).fill("read"), busy, busy]);
  });
});
