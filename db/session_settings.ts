// How long we wait for PostgreSQL, and the settings with which our connections start.
import { LONGEST_SEARCH } from "./search_limits.ts";

/**
 * Starting parallel workers or the JIT compiler takes longer than most of our statements. The pages that they read are in
 * memory: with the default cost of 4 for a page, PostgreSQL reads whole small tables instead of their indexes, such as all
 * networks for the name of one, for each host of a list.
 */
export const PLANNER_SETTINGS = {
  max_parallel_workers_per_gather: 0,
  jit: "off",
  random_page_cost: 1.1,
};

/** Milliseconds for an answer, including the wait for a connection and a second try. */
export const DEADLINE = 6_000;
/** The same for commands that write thousands of records, which nobody waits for in a browser. */
export const BULK_DEADLINE = 600_000;
/** Milliseconds before the deadline after which a transaction counts as late. */
export const MARGIN = 500;

export type SessionSettings = Record<string, string | number | boolean>;
export const SESSION_LIMITS: SessionSettings = {
  statement_timeout: DEADLINE - 2 * MARGIN,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
  application_name: "cadastre",
  timezone: "UTC",
  ...PLANNER_SETTINGS,
};

/** For these commands: a busy machine may take long over a thousand records, and over a lock that another command holds. */
export const BULK_LIMITS: SessionSettings = {
  ...SESSION_LIMITS,
  statement_timeout: BULK_DEADLINE - 2 * MARGIN,
  lock_timeout: BULK_DEADLINE / 10,
  idle_in_transaction_session_timeout: BULK_DEADLINE / 10,
};

/** A replica refuses a connection with this setting, so that a pool never connects to a primary that became one. */
export const ACCEPTS_WRITES: SessionSettings = { transaction_read_only: "off" };

export const GENERIC_PLAN_LIMITS: SessionSettings = {
  ...SESSION_LIMITS,
  statement_timeout: LONGEST_SEARCH,
  plan_cache_mode: "force_generic_plan",
};
