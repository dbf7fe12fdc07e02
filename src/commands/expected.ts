// Which errors of a command are expected: only their message is shown.
import { CannotBackUp } from "../../db/backup/format.ts";
import { CannotStart } from "../../db/embedded/cannot_start.ts";
import { DatabaseUnavailable } from "../../db/errors.ts";
import { CannotMigrate } from "../../db/migrate.ts";
import { WrongSetting } from "../config.ts";
import { refusalOf } from "../http/answers.ts";
import { CannotListen } from "../http/server.ts";
import { Refusal } from "../input/errors.ts";
import { UsageError } from "./arguments.ts";
import { CommandFailed } from "./failed.ts";

const EXPECTED = [
  CannotStart,
  CannotMigrate,
  CannotListen,
  CannotBackUp,
  WrongSetting,
  UsageError,
  CommandFailed,
  Refusal,
];

/** Any other error is thrown again. */
export function expectedError(error: unknown): Error {
  const known = error instanceof DatabaseUnavailable ? refusalOf(error) : error;
  if (!(known instanceof Error) || !EXPECTED.some((kind) => known instanceof kind)) throw error;
  return known;
}
