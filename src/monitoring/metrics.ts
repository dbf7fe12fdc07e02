// Metrics for Prometheus. Routes are patterns, never paths, so that no name of a record is exposed.

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  count: number;
  seconds: number;
  buckets: number[];
}

const requests = new Map<string, Series>();

export function countRequest(request: {
  method: string;
  route: string;
  status: number;
  seconds: number;
}): void {
  const { method, route, status, seconds } = request;
  const labels = `method="${method}",route="${route}",status="${status}"`;
  const series = requests.get(labels) ?? { count: 0, seconds: 0, buckets: BUCKETS.map(() => 0) };
  series.count += 1;
  series.seconds += seconds;
  BUCKETS.forEach((limit, index) => {
    if (seconds <= limit) series.buckets[index] = (series.buckets[index] ?? 0) + 1;
  });
  requests.set(labels, series);
}

/** The metrics of one process. */
export interface WorkerMetrics {
  worker: number | undefined;
  memory: number;
  heap: number;
  started: number;
  cpu: number;
  /** Open streams of events. */
  streams: number;
  requests: Array<[labels: string, series: Series]>;
}

let worker: number | undefined;
let gather = async (): Promise<WorkerMetrics[]> => [workerMetrics()];

/** Sets the number of this worker, and how the metrics of all workers are collected. */
export function configureWorker(number: number, others: typeof gather): void {
  worker = number;
  gather = others;
}

/** A value of the whole installation; left out while it is undefined. */
export interface Gauge {
  name: string;
  help: string;
  value: number | undefined;
}

let countStreams = () => 0;

export function setStreams(count: typeof countStreams): void {
  countStreams = count;
}

let gauges = (): Gauge[] => [];

export function setGauges(read: typeof gauges): void {
  gauges = read;
}

export function workerMetrics(): WorkerMetrics {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    worker,
    memory: rss,
    heap: heapUsed,
    started: Math.floor(performance.timeOrigin / 1000),
    cpu: (user + system) / 1e6,
    streams: countStreams(),
    requests: [...requests],
  };
}

/** The text format of Prometheus, version 0.0.4: of all workers, each under its number. */
export async function metricsText(): Promise<string> {
  const all = await gather();
  const lines = [
    ...family("process_resident_memory_bytes", "gauge", "Memory of this process"),
    ...all.map((one) => value("process_resident_memory_bytes", one, one.memory)),
    ...family("process_heap_bytes", "gauge", "Memory of the JavaScript heap"),
    ...all.map((one) => value("process_heap_bytes", one, one.heap)),
    ...family("process_start_time_seconds", "gauge", "When this process started"),
    ...all.map((one) => value("process_start_time_seconds", one, one.started)),
    ...family("process_cpu_seconds_total", "counter", "CPU time of this process"),
    ...all.map((one) => value("process_cpu_seconds_total", one, one.cpu)),
    ...family(STREAMS, "gauge", "Open streams of events"),
    ...all.map((one) => value(STREAMS, one, one.streams)),
    ...family(DURATION, "histogram", "Time to answer, by route"),
    ...all.flatMap((one) =>
      one.requests.flatMap(([labels, series]) => histogram(labelsOf(one, labels), series)),
    ),
    ...gauges().flatMap(({ name, help, value }) =>
      value === undefined ? [] : [...family(name, "gauge", help), `${name} ${value}`],
    ),
  ];
  return `${lines.join("\n")}\n`;
}

const STREAMS = "cadastre_event_streams";
const DURATION = "cadastre_http_request_duration_seconds";

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function value(name: string, metrics: WorkerMetrics, number: number): string {
  const labels = labelsOf(metrics, "");
  return `${name}${labels && `{${labels}}`} ${number}`;
}

function labelsOf({ worker }: WorkerMetrics, labels: string): string {
  return [worker && `worker="${worker}"`, labels].filter(Boolean).join(",");
}

function histogram(labels: string, { count, seconds, buckets }: Series): string[] {
  return [
    ...BUCKETS.map(
      (limit, index) => `${DURATION}_bucket{${labels},le="${limit}"} ${buckets[index]}`,
    ),
    `${DURATION}_bucket{${labels},le="+Inf"} ${count}`,
    `${DURATION}_sum{${labels}} ${seconds}`,
    `${DURATION}_count{${labels}} ${count}`,
  ];
}
