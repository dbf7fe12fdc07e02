import type { FieldCode } from "./error_codes.ts";
import { MOST_ERRORS } from "./limits.ts";

export interface FieldError {
  field: string;
  message: string;
  /** What programs call it; not_valid if nothing is more exact. */
  code?: FieldCode;
  /** A value that was probably meant, which the message names too, and the one that it replaces. */
  suggestion?: string;
  given?: string;
  /** Set if a hidden record may be the reason. Never shown to the caller: see auth/probing.ts. */
  taken?: UnavailableValue;
}

export interface UnavailableValue {
  /** The value that is not available. */
  value: string;
  /** Whether a hidden record is the reason; if undefined, it is looked up by the value. */
  isHidden?: boolean;
}

/** A syntax error in a query: UTF-16 code units from `offset` up to `end`, and for people a column from 1. */
export interface QuerySyntaxError {
  kind: string;
  offset: number;
  end: number;
  column: number;
  expected: readonly string[];
  /** A suggested correction. */
  hint?: string | undefined;
}

/** What the caller gets to see of an error. */
export function shownError(
  error: FieldError,
): Required<Omit<FieldError, "suggestion" | "given" | "taken">> {
  const { field, message } = error;
  return { field, message, code: codeOfField(error) };
}

export function codeOfField({ code, taken }: FieldError): FieldCode {
  return code ?? (taken ? "not_available" : "not_valid");
}

interface RefusalDetails {
  errors?: FieldError[];
  headers?: Record<string, string>;
  syntax?: QuerySyntaxError;
}

/** An error that is shown to the caller. Every other error is answered with 500. */
export class Refusal extends Error {
  readonly errors: FieldError[];
  readonly headers: Record<string, string>;
  readonly syntax: QuerySyntaxError | undefined;
  constructor(
    readonly status: number,
    message: string,
    details: RefusalDetails = {},
  ) {
    super(message);
    this.errors = details.errors ?? [];
    this.headers = details.headers ?? {};
    this.syntax = details.syntax;
  }
}

export function unauthenticated(message = "A valid bearer token is required"): Refusal {
  return new Refusal(401, message, { headers: { "WWW-Authenticate": "Bearer" } });
}

export function forbidden(message = "You have no right to do this"): Refusal {
  return new Refusal(403, message);
}

export function notFound(): Refusal {
  return new Refusal(404, "This does not exist, or you may not see it");
}

export function invalid(field: string, message: string, code?: FieldCode): Refusal {
  return refuse([{ field, message, ...(code && { code }) }]);
}

/** The same where a hidden record may be the reason. */
export function unavailableValue(field: string, message: string, what: UnavailableValue): Refusal {
  return refuse([{ field, message, taken: what }]);
}

/**
 * No visible record has this name. `noun` is what such a record is, if the field is not named after it; `suggestion` the name
 * that was probably meant.
 */
export function unknownName(
  field: string,
  name: string,
  noun = inWords(field),
  suggestion?: string,
): FieldError {
  const message = `'${name}' is not a valid ${noun}`;
  const error: FieldError = { field, message, code: "unknown_record" };
  if (suggestion === undefined) return error;
  return {
    ...error,
    message: `${message}. Did you mean "${suggestion}"?`,
    suggestion,
    given: name,
  };
}

function inWords(field: string): string {
  return field.replaceAll("_", " ");
}

/** All errors at once, so that a form is corrected in one go. */
export function refuse(all: FieldError[]): Refusal {
  const errors = all.slice(0, MOST_ERRORS);
  const message = errors.map((error) => `${error.field}: ${error.message}`).join("; ");
  return new Refusal(422, message, { errors });
}

/** The result of the work; if it is refused with 422, undefined, and its errors are added to the list. */
export async function collectErrors<T>(
  errors: FieldError[],
  work: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.status !== 422) throw thrown;
    errors.push(...thrown.errors);
    return undefined;
  }
}

export function stale(): Refusal {
  return new Refusal(412, "This record has changed since you read it; read it again");
}

export function tooMany(seconds: number, message: string): Refusal {
  return new Refusal(429, message, { headers: { "Retry-After": String(Math.ceil(seconds)) } });
}

export function onlyReads(): Refusal {
  return new Refusal(
    503,
    "This instance is read-only: log in and make changes on the primary instance",
  );
}

export const NOT_RESPONDING = "The database is not responding; try again shortly";

export function unavailable(): Refusal {
  return new Refusal(503, NOT_RESPONDING, {
    headers: { "Retry-After": "2" },
  });
}
