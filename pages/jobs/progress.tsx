import type { Job } from "../../src/jobs/jobs.ts";
import { Icon } from "../parts/icon.tsx";
import { useHx } from "../request/frame.ts";

const TONES = { queued: "", started: "", finished: "good", failed: "bad" };
const LABELS = { queued: "Queued", started: "Running", finished: "Finished", failed: "Failed" };

interface Props {
  job: Job;
  /** The user has waited for the file, so the download starts by itself. */
  downloads?: boolean;
}

/** On a page that has the stream of changes, the job is asked for when it has got on: see static/live.js. */
export function FollowedJob({ job }: { job: Job }) {
  return (
    <div data-live={`jobs:${job.id}`} data-from={jobPath(job)}>
      <JobProgress job={job} />
    </div>
  );
}

/** The progress of a job. Without the stream it reloads itself until the job has ended; then it offers the file. */
export function JobProgress({ job, downloads = false }: Props) {
  const hx = useHx();
  // If a response is lost, the second timer continues.
  const trigger = "load delay:600ms, every 10s";
  const again = hx({ get: jobPath(job), trigger, target: "this", swap: "outerHTML" });
  return (
    <section
      class={`note job ${TONES[job.status]}`}
      id={`job-${job.id}`}
      {...(isOpen(job) && again)}
    >
      <p role="status">
        <b>{LABELS[job.status]}</b> {job.message}
      </p>
      {isOpen(job) && (
        <progress max={100} value={job.progress} aria-label={job.name}>
          {job.progress} %
        </progress>
      )}
      {job.result && downloads && <meta http-equiv="refresh" content={`0; url=${resultOf(job)}`} />}
      {job.result && (
        <p>
          <a class="button primary" href={resultOf(job) ?? ""} download={job.result}>
            <Icon name="download" /> Download {job.result}
          </a>
        </p>
      )}
    </section>
  );
}

export function isOpen({ status }: Job): boolean {
  return status === "queued" || status === "started";
}

export function jobPath({ id }: Job): string {
  return `/status/${id}`;
}

/** The path of its file. */
export function resultOf(job: Job): string | null {
  return job.result && `${jobPath(job)}/${encodeURIComponent(job.result)}`;
}
