import { type ParseArgsConfig, parseArgs } from "node:util";

/** A command was called with unknown or missing arguments; the message is one sentence. */
export class UsageError extends Error {}

/** Parses the arguments after the name of a command. */
export function readArguments<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message.split(/\.\s/)[0]);
  }
}

/** Requires as many positional arguments as there are names. */
export function positionalArguments<const Names extends readonly string[]>(
  positionals: string[],
  ...names: Names
) {
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const unexpected = positionals[names.length];
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'`);
  return positionals as { [Index in keyof Names]: string };
}

type Subcommand = (args: string[]) => Promise<void>;

/** Runs the action that the first word names: cadastre user add. */
export async function runSubcommand(
  actions: Record<string, Subcommand>,
  args: string[],
): Promise<void> {
  const [name = "", ...rest] = args;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw new UsageError(`Say one of ${Object.keys(actions).join(", ")}`);
  await action(rest);
}
