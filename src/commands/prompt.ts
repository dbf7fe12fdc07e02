// Questions on a terminal.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

export interface Prompt {
  /** Asks until `check` accepts the answer; an empty answer is the default. */
  ask(question: string, standard: string, check: AnswerCheck): Promise<string>;
  /** What is typed is not shown. */
  askHidden(question: string, check: AnswerCheck): Promise<string>;
  close(): void;
}

/** Null if the answer can be used, else one sentence. */
type AnswerCheck = (answer: string) => Promise<string | null> | string | null;

export function prompt(): Prompt {
  let isHidden = false;
  const output = new Writable({
    write: (text, _encoding, done) => {
      if (!isHidden) process.stdout.write(text);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // Ctrl-C ends the command as everywhere.
  lines.once("SIGINT", () => process.exit(130));

  async function answer(question: string, standard: string): Promise<string> {
    const shown = standard.replace(/(:\/\/[^:@/]*):[^@]*@/, "$1:***@");
    const typed = await lines.question(`${question}${shown === "" ? "" : ` [${shown}]`}: `);
    return typed.trim() || standard;
  }

  async function answerHidden(question: string): Promise<string> {
    process.stdout.write(`${question}: `);
    isHidden = true;
    try {
      return await lines.question("");
    } finally {
      isHidden = false;
      process.stdout.write("\n");
    }
  }

  async function until(read: () => Promise<string>, check: AnswerCheck): Promise<string> {
    for (;;) {
      const text = await read();
      const refusal = await check(text);
      if (refusal === null) return text;
      process.stdout.write(`  ${refusal}\n`);
    }
  }

  return {
    ask: (question, standard, check) => until(() => answer(question, standard), check),
    askHidden: (question, check) => until(() => answerHidden(question), check),
    close: () => lines.close(),
  };
}
