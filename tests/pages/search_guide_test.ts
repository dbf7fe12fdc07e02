// The queries of the search guide, run on the example site.

import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { makeSite } from "../search/site_made.ts";
import { api, carol } from "../support/mod.ts";

setDefaultTimeout(60_000);
beforeEach(makeSite, 60_000);

const GUIDE = readFileSync(new URL("../../docs/search.md", import.meta.url), "utf8");

/** The first column of the tables of queries. */
function examples(): string[] {
  const [, ...tables] = GUIDE.split("| query | finds |\n|---|---|\n");
  return tables.flatMap((table) => {
    const [rows = ""] = table.split("\n\n");
    return [...rows.matchAll(/^\| `([^`]+)` \|/gm)].map(([, query = ""]) => query);
  });
}

describe("docs/search.md", () => {
  test("contains no query that cannot be parsed, and hardly one that finds nothing", async () => {
    expect(examples().length).toBeGreaterThan(20);
    const empty: string[] = [];
    for (const query of examples()) {
      const path = `/network/hosts?q=${encodeURIComponent(query)}`;
      const { status, body } = await api(carol).get(path);
      expect([query, status]).toEqual([query, 200]);
      if (body.length === 0) empty.push(query);
    }
    expect(empty).toEqual(["updated_at:[now-7d TO now]"]);
  });

  test("names no field that hosts do not have", async () => {
    const [, fields = ""] = /A host has (.*?)\. What its interfaces/s.exec(GUIDE) ?? [];
    const names = [...fields.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name);
    expect(names).toContain("automation_groups");
    const { body } = await api(carol).get("/network/hosts?per_page=1");
    expect(names.filter((name) => !(name in body[0]))).toEqual([]);
  });
});
