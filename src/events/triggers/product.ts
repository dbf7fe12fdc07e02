// What the templates have in common: how a job is started elsewhere, and how its end is seen.
import type { OutgoingRequest, TargetAnswer } from "../http_target.ts";
import type { TriggerSettings } from "./trigger.ts";
import type { TemplateValues } from "./values.ts";

/** A trigger as its requests need it. */
export interface TriggerTarget {
  url: string;
  settings: TriggerSettings;
  secret: string | undefined;
  /** Where another token looks at the job than starts it. */
  read_token?: string | undefined;
}

export type Progress =
  | { status: "started"; job: string; url?: string | undefined; detail?: string | undefined }
  | {
      status: "succeeded" | "failed";
      /** In our words: everyone who sees a host of the run may read it. */
      message?: string;
      url?: string | undefined;
      /** In the words of the other side, for admins. */
      detail?: string | undefined;
    };

export interface Product {
  /** Undefined if there is nothing to start, and starting it would do more than was asked for. */
  launch(target: TriggerTarget, values: TemplateValues): OutgoingRequest | undefined;
  /** The answer to the launch, which is a success. */
  launched(target: TriggerTarget, answer: TargetAnswer): Progress;
  look(target: TriggerTarget, job: string): OutgoingRequest;
  /** The answer to a look, which is a success. */
  seen(target: TriggerTarget, job: string, answer: TargetAnswer): Progress;
}

/** Bytes of an answer that describes a job. */
export const LARGEST_JOB = 1024 * 1024;

export function jsonBody({ body }: TargetAnswer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function numberIn(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? String(value) : undefined;
}

/** Without the slash at its end. */
export function baseOf({ url }: TriggerTarget): string {
  return url.replace(/\/+$/, "");
}

/** How a job has ended that is in this state; undefined if it goes on. */
export function endIn(ends: Record<string, Progress>, state: unknown): Progress | undefined {
  return typeof state === "string" && Object.hasOwn(ends, state) ? ends[state] : undefined;
}

export const NOT_NAMED: Progress = {
  status: "failed",
  message: "The server did not say which job it started",
};
