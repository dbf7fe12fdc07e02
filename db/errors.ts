import { SQL } from "bun";

/** The database rejected a statement: a constraint, a type or a limit. */
export class QueryRejected extends Error {
  constructor(
    readonly code: string,
    readonly constraint: string | undefined,
    readonly table: string | undefined,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }

  /** The key in the message, by column: Key (host_id, stack_member)=(7, 3) already exists. Of expressions it is not known. */
  get key(): Record<string, string> {
    const detail = this.cause instanceof SQL.PostgresError ? this.cause.detail : undefined;
    const [, named = "", value = ""] = /^Key \((.*?)\)=\((.*)\) /.exec(detail ?? "") ?? [];
    const columns = named.split(", ").map((one) => one.replace(/^lower\((\w+).*$/, "$1"));
    if (columns.some((column) => !/^\w+$/.test(column))) return {};
    const values = columns.length > 1 ? value.split(", ") : [value];
    return Object.fromEntries(columns.map((column, at) => [column, values[at] ?? ""]));
  }
}

export const NO_ANSWER = "The database does not answer";

/**
 * The database cannot be reached, does not answer in time, or is a replica. `broken`: the connection was lost during a
 * statement. `late`: the statement took too long. `onlyReads`: the statement would write to a replica.
 */
export class DatabaseUnavailable extends Error {
  readonly broken: boolean;
  readonly late: boolean;
  readonly onlyReads: boolean;
  constructor(
    message: string,
    options: { cause?: unknown; broken?: boolean; late?: boolean; onlyReads?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.broken = options.broken ?? false;
    this.late = options.late ?? false;
    this.onlyReads = options.onlyReads ?? false;
  }
}

/** The error, or its cause, is that the database is unavailable. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailable ||
    (error instanceof Error && error.cause instanceof DatabaseUnavailable)
  );
}

/** The error comes from the database, whatever it has wrapped. */
export function isOfDatabase(error: unknown): boolean {
  const known = translate(error);
  return isUnavailable(known) || known instanceof QueryRejected;
}

/** Why a server that can be reached refuses a connection: no TLS, a certificate that is not trusted. */
export function connectionProblem({ cause }: DatabaseUnavailable): string | undefined {
  if (!(cause instanceof SQL.PostgresError)) return undefined;
  if (cause.code === "ERR_POSTGRES_TLS_NOT_AVAILABLE") return NO_TLS;
  return /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)_/.test(cause.code) ? undefined : cause.message;
}

export const NO_TLS = "no TLS";
export const UNIQUE = "23505";
export const FOREIGN_KEY = "23503";
export const CHECK = "23514";
const NOT_NULL = "23502";
export const EXCLUSION = "23P01";
const SERIALIZATION = "40001";
const DEADLOCK = "40P01";
const CANCELLED = "57014";
/** A replica refuses writes by itself, so no list of writes has to be kept here. */
const READ_ONLY = "25006";

/** A deadlock or a serialization failure: the same transaction may run again. */
export function mayRunAgain(error: unknown): boolean {
  return (
    error instanceof QueryRejected && (error.code === SERIALIZATION || error.code === DEADLOCK)
  );
}

/** A server that does not accept writes refuses a connection that must: see ACCEPTS_WRITES in client.ts. */
const CANNOT_WRITE = "25001";

// Shutting down, starting up, no free connections, disk full, or a statement or lock that took too long.
const UNAVAILABLE = /^(57P0.|57014|55P03|25P0[34]|53...|08...|25006|25001)$/;

export function translate(error: unknown): unknown {
  const cause = driverError(error);
  if (cause instanceof SQL.PostgresError) {
    const state = String(cause.errno ?? "");
    if (/^[0-9A-Z]{5}$/.test(state)) {
      if (UNAVAILABLE.test(state))
        return new DatabaseUnavailable(cause.message, {
          cause,
          broken: state.startsWith("57P0") || state === CANNOT_WRITE,
          late: state === CANCELLED,
          onlyReads: state === READ_ONLY,
        });
      return new QueryRejected(state, cause.constraint, cause.table, cause);
    }
    return new DatabaseUnavailable("The connection to the database failed", {
      cause,
      broken: true,
    });
  }
  return error;
}

/** A required column of this table got no value. */
export function lacksValue(error: unknown, table: string): boolean {
  const rejected = translate(error);
  return (
    rejected instanceof QueryRejected && rejected.code === NOT_NULL && rejected.table === table
  );
}

// Drizzle wraps what the driver threw.
function driverError(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof SQL.PostgresError ? error.cause : error;
}

export function messageIn(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
