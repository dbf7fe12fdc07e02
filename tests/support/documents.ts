// The examples of the documents, which tests run as they are.
import { join } from "node:path";

/** The first piece of code of each language in a section. */
export async function codeIn(document: string, section: string): Promise<Record<string, string>> {
  const text = await Bun.file(join(import.meta.dir, "../..", document)).text();
  const [, rest = ""] = text.split(`\n## ${section}\n`);
  const [own = ""] = rest.split("\n## ");
  const found = [...own.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, name = "", code = ""]) => [
    name,
    code,
  ]);
  return Object.fromEntries(found.toReversed());
}
