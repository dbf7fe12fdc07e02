// What the jobs that triggers started did for a host, such as: DHCP updated 14:05:03.
import type { TriggerResult } from "../../../src/network/hosts/view.ts";

export function TriggerResults({ results }: { results: TriggerResult[] }) {
  const shown = results.filter(({ status }) => status !== "skipped");
  if (shown.length === 0) return null;
  const isOpen = shown.some(({ status }) => status === "launching" || status === "started");
  return (
    <ul class="plain" aria-label="Jobs" data-pending={isOpen || undefined}>
      {shown.map((result) => (
        <li>
          <span class={`tag ${toneOf(result)}`}>{textOf(result)}</span>{" "}
          {result.at && <Moment at={result.at} />}{" "}
          {result.url && (
            <a href={result.url} rel="noreferrer">
              job
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

const TONES: Partial<Record<TriggerResult["status"], string>> = {
  succeeded: "good",
  failed: "bad",
  gave_up: "bad",
};

/** A success with a message: the job was started, and nobody knows how it ends. */
function toneOf({ status, message }: TriggerResult): string {
  return status === "succeeded" && message !== null ? "" : (TONES[status] ?? "");
}

function textOf({ trigger, success_text, status, message }: TriggerResult): string {
  if (status === "succeeded") return message === null ? success_text : `${trigger}: ${message}`;
  if (status === "failed") return `${trigger} failed: ${message ?? "the job failed"}`;
  if (status === "gave_up") return `${trigger} failed: ${message ?? "no job was started"}`;
  return status === "started" ? `${trigger} is running` : `${trigger} is starting`;
}

/** To the second: jobs are seconds apart. */
function Moment({ at }: { at: string }) {
  const [day = "", time = ""] = at.split(" ");
  const isToday = day === new Date().toISOString().slice(0, 10);
  return (
    <time datetime={`${day}T${time}Z`} title={`${at} UTC`}>
      {isToday ? `${time} UTC` : `${at} UTC`}
    </time>
  );
}
