// The completion of bash, made from the help of the commands.
import type { Help } from "./help.ts";

interface Place {
  words: Set<string>;
  /** Whether a file may follow. */
  files: boolean;
}

export function completion(help: Help): string {
  const cases = [...placesOf(help)].map(([path, { words, files }]) => {
    const complete = files ? " files=yes" : "";
    return `    "${path}"*) words="${[...words].join(" ")}"${complete} ;;`;
  });
  return `# bash completion for cadastre(1)
_cadastre() {
  local current=\${COMP_WORDS[COMP_CWORD]} words= files=
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1} " in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ $files && $current != -* ]]; then compopt -o default; fi
}
complete -F _cadastre cadastre
`;
}

/** By what is typed before the cursor, longest first, as "user add " comes before "user ". */
function placesOf({ commands }: Help): [string, Place][] {
  const places = new Map<string, Place>();
  const place = (path: string[]) => {
    const key = path.map((word) => `${word} `).join("") || " ";
    const found = places.get(key) ?? { words: new Set(), files: false };
    places.set(key, found);
    return found;
  };
  for (const word of ["--help", "--version"]) place([]).words.add(word);
  for (const { name, usage } of commands) {
    place([]).words.add(name);
    place([name]).words.add("--help");
    for (const line of usage) {
      const path = /^cadastre((?: [a-z]+)*)/.exec(line)?.[1]?.trim().split(" ") ?? [];
      path.slice(1).forEach((word, at) => {
        place(path.slice(0, at + 1)).words.add(word);
      });
      for (const [option] of line.matchAll(/--[a-z][a-z-]*/g)) place(path).words.add(option);
      if (/\b(FILE|DIR)\b/.test(line)) place(path).files = true;
    }
  }
  return [...places].toSorted(([one], [other]) => other.length - one.length);
}
