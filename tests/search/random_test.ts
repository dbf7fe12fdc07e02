// Random queries have the results of the reference evaluation.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { HOST_ALIASES } from "../../src/network/hosts/search_document.ts";
import { parse } from "../../src/search/language/parser.ts";
import { QuerySyntaxError } from "../../src/search/language/syntax_error.ts";
import { allChecks } from "../support/checks.ts";
import { api, carol, namesOf, searched } from "../support/mod.ts";
import { documents } from "./documents.ts";
import * as evaluator from "./evaluator.ts";
import { makeSite } from "./site_made.ts";

setDefaultTimeout(300_000);

const RUNS = Number(Bun.env.RANDOM_QUERIES ?? (allChecks ? 300 : 100));
const NOT_OF_THE_SITE = ["created_at", "updated_at", "user"];

const words = fc.constantFrom(
  ...["ts2-01", "TS2-02", "archiver", "arch", "appliance", "timing", "R&D", "Lab", "SPARE", "sw01"],
  ...["X100", "12345", "0042", "AAB002", "true", "false", "100", "365", "8080", "storm", "strom"],
  ...["10.1.1.10", "172.18.1.0/24", "2001:db8:1::1", "02:42:42:00:00:01", "Gallery", "replaced"],
  ...["café", "box", "gm1", "lab.example.org", "archiver-01.lab.example.org", "Virtual", "zzz"],
);
const fields = fc.constantFrom(
  ...["name", "fqdn", "description", "device_type", "is_ioc", "automation_groups", "interfaces.*"],
  ...["interfaces.name", "interfaces.ip", "interfaces.vlan_id", "items.comments", "items.\\*"],
  ...["ip", "mac", "network", "scope", "group", "type", "vlan", "automation_vars.port", "model"],
  ...["automation_vars.*", "nothing", "interfaces", "items.serial_number", "interfaces.\\*"],
);
const part = fc
  .nat(6)
  .chain((from) =>
    words.map((word) => word.slice(from % Math.max(1, word.length - 1)).replace(/[:/&]/g, "\\$&")),
  );
const plain = words.map((word) => `"${word}"`);
const leaf = fc.oneof(
  { weight: 3, arbitrary: plain },
  { weight: 2, arbitrary: part },
  part.map((word) => `${word}*`),
  part.map((word) => `*${word}*`),
  part.map((word) => `?${word.slice(1)}*`),
  fc.tuple(part, fc.constantFrom("~", "~1", "~2")).map((both) => both.join("")),
  part.map((word) => `/.*${word.replace(/[^a-z0-9]/gi, ".")}.*/`),
  part.map((word) => `/.*${word.replace(/[^a-z0-9]/gi, ".")}.*&~(.*1)/`),
  fc.tuple(part, part).map(([from, to]) => `[${from} TO ${to}]`),
  part.map((word) => `>=${word}`),
  fc.constant("*"),
);
const { query } = fc.letrec<{ clause: string; query: string }>((tie) => ({
  clause: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.tuple(fields, leaf).map(([field, value]) => `${field}:${value}`),
    tie("query").map((inner) => `(${inner})`),
  ),
  query: fc
    .array(
      fc.tuple(
        fc.constantFrom(" ", " AND ", " OR "),
        fc.constantFrom("", "", "+", "-", "NOT "),
        tie("clause"),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) =>
      parts
        .map((one) => one.join(""))
        .join("")
        .replace(/^ (AND|OR) /, "")
        .trim(),
    ),
}));

/** The result of the reference evaluation, or none if the text cannot be parsed. */
function wanted(text: string): string[] | undefined {
  try {
    return evaluator.found(parse(text, HOST_ALIASES), documents, Date.now());
  } catch (error) {
    if (error instanceof QuerySyntaxError) return undefined;
    throw error;
  }
}

describe("any query", () => {
  beforeEach(makeSite, 60_000);

  test("has the results of the reference evaluation, or cannot be parsed", async () => {
    const finds = async (text: string) => {
      const path = `/network/hosts/search?per_page=100&sort=id&q=${encodeURIComponent(text)}`;
      const { status, body } = await searched(() => api(carol).get(path));
      const names = wanted(text);
      expect([text, status]).toEqual([text, names ? 200 : 422]);
      if (names) expect([text, namesOf(body)]).toEqual([text, names]);
    };
    const texts = query.filter((text) => !NOT_OF_THE_SITE.some((one) => text.includes(one)));
    await fc.assert(fc.asyncProperty(texts, finds), { numRuns: RUNS });
  });
});
