// Follows the steps of CONTRIBUTING.md on a copy of the project.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

export interface ContributingStep {
  path: string;
  code: string;
  after?: string;
  before?: string;
  "instead of"?: string;
}

type Place = Pick<ContributingStep, "after" | "before" | "instead of">;

/** The steps of a section: each block of code belongs to the file and the place that were named last. */
export function stepsOf(title: string): ContributingStep[] {
  const document = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const [, section = ""] = document.split(`## ${title}\n`);
  const [own = ""] = section.split("\n## ");
  const blocks = [...own.matchAll(/([^`]|`[^`]+`)*?\n\s*```\w+\n([\s\S]*?)```/g)];
  let path = "";
  let places: Place[] = [];
  return blocks.map(([block, , code = ""]) => {
    const [said = ""] = block.split("```");
    const [, named] = /\d\. `([^`]+)`/.exec(said) ?? [];
    if (named) {
      path = named;
      places = [...said.matchAll(/(after|before|instead\s+of)\s+`([^`]+)`/g)].map(
        ([, where, line]) => ({
          [where!.replace(/\s+/, " ")]: line,
        }),
      );
    }
    return { path, code: code.replaceAll(/^ {3}/gm, ""), ...places.shift() };
  });
}

export function follow(copy: string, step: ContributingStep): void {
  const { path, code, after, before, "instead of": replaced } = step;
  const file = join(copy, path);
  const anchor = after ?? before ?? replaced;
  if (anchor === undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    return;
  }
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes(anchor));
  if (at < 0) throw new Error(`${path} has no line with ${anchor}`);
  lines.splice(after ? at + 1 : at, replaced ? 1 : 0, code.replace(/\n$/, ""));
  writeFileSync(file, lines.join("\n"));
}
