import { SQL } from "bun";

/** A constraint, a type or a limit of the database said no. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    readonly constraint: string | undefined,
    readonly table: string | undefined,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }

  /** Which key it was about, by its columns: Key (host_id, stack_member)=(7, 3) already exists. */
  get key(): Record<string, string> {
    const detail = this.cause instanceof SQL.PostgresError ? this.cause.detail : undefined;
    const [, named = "", value = ""] = /^Key \((.*?)\)=\((.*)\) /.exec(detail ?? "") ?? [];
    const columns = named.split(", ").map((one) => one.replace(/^lower\((\w+).*$/, "$1"));
    const values = columns.length > 1 ? value.split(", ") : [value];
    return Object.fromEntries(columns.map((column, at) => [column, values[at] ?? ""]));
  }
}

/**
 * The database is not there, not in time, or not for this. `broken` when the connection was lost under a question, `late`
 * when the statement took longer than it may, `onlyReads` when it would have changed something on a replica.
 */
export class Away extends Error {
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

/** The database was away, or that is why something else failed. */
export function isAway(fault: unknown): boolean {
  return fault instanceof Away || (fault instanceof Error && fault.cause instanceof Away);
}

/** Why a connection could not be made although somebody was there: no TLS, a certificate that is not trusted. */
export function obstacle({ cause }: Away): string | undefined {
  if (!(cause instanceof SQL.PostgresError)) return undefined;
  if (cause.code === "ERR_POSTGRES_TLS_NOT_AVAILABLE") return NO_TLS;
  return /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)_/.test(cause.code) ? undefined : cause.message;
}

export const NO_TLS = "no TLS";
export const UNIQUE = "23505";
export const FOREIGN_KEY = "23503";
export const CHECK = "23514";
export const EXCLUSION = "23P01";
const SERIALIZATION = "40001";
const DEADLOCK = "40P01";
const CANCELLED = "57014";
/** A replica refuses whatever would change something, so no list of writes has to be kept here. */
const READ_ONLY = "25006";

/** Rolled back through no fault of its own: the same transaction may simply run again. */
export function mayRunAgain(fault: unknown): boolean {
  return fault instanceof Refused && (fault.code === SERIALIZATION || fault.code === DEADLOCK);
}

// Shutting down, starting up, out of connections or of disk, a statement or a lock that took too long.
const AWAY = /^(57P0.|57014|55P03|25P0[34]|53...|08...|25006)$/;

export function translate(fault: unknown): unknown {
  const cause = root(fault);
  if (cause instanceof SQL.PostgresError) {
    const state = String(cause.errno ?? "");
    if (/^[0-9A-Z]{5}$/.test(state)) {
      if (AWAY.test(state))
        return new Away(cause.message, {
          cause,
          broken: state.startsWith("57P0"),
          late: state === CANCELLED,
          onlyReads: state === READ_ONLY,
        });
      return new Refused(state, cause.constraint, cause.table, cause);
    }
    return new Away("The connection to the database failed", { cause, broken: true });
  }
  return fault;
}

// Drizzle wraps what the driver threw.
function root(fault: unknown): unknown {
  return fault instanceof Error && fault.cause instanceof SQL.PostgresError ? fault.cause : fault;
}
