import { type ParseArgsConfig, parseArgs } from "node:util";

/** A command was called with words or options that it does not know; the message is one sentence. */
export class WrongCall extends Error {}

/** What stands behind a command's name, read as its configuration wants it. */
export function readArguments<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (fault) {
    if (!(fault instanceof TypeError)) throw fault;
    throw new WrongCall(fault.message.split(/\.\s/)[0]);
  }
}

/** As many words as there are names for them. */
export function words<const Names extends readonly string[]>(given: string[], ...names: Names) {
  const missing = names[given.length];
  if (missing !== undefined) throw new WrongCall(`${missing} is missing`);
  const strange = given[names.length];
  if (strange !== undefined) throw new WrongCall(`Unexpected argument '${strange}'`);
  return given as { [Place in keyof Names]: string };
}

type Action = (args: string[]) => Promise<void>;

/** Runs the action that the first word names: cadastre user add. */
export async function choose(actions: Record<string, Action>, args: string[]): Promise<void> {
  const [name = "", ...rest] = args;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw new WrongCall(`Say one of ${Object.keys(actions).join(", ")}`);
  await action(rest);
}
