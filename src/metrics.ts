// Counted here, read by Prometheus. Routes are patterns, never paths: no name of a record gets out.

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  count: number;
  seconds: number;
  buckets: number[];
}

const requests = new Map<string, Series>();

export function count(request: {
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

/** The text format of Prometheus, version 0.0.4. */
export function text(): string {
  const { rss, heapUsed } = process.memoryUsage();
  const cpu = process.cpuUsage();
  const lines = [
    ...gauge("process_resident_memory_bytes", "Memory of this process", rss),
    ...gauge("process_heap_bytes", "Memory of the JavaScript heap", heapUsed),
    ...gauge(
      "process_start_time_seconds",
      "When this process started",
      Math.floor(performance.timeOrigin / 1000),
    ),
    "# HELP process_cpu_seconds_total CPU time of this process",
    "# TYPE process_cpu_seconds_total counter",
    `process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}`,
    "# HELP cadastre_http_request_duration_seconds Time to answer, by route",
    "# TYPE cadastre_http_request_duration_seconds histogram",
    ...[...requests].flatMap(([labels, series]) => histogram(labels, series)),
  ];
  return `${lines.join("\n")}\n`;
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}

function histogram(labels: string, { count, seconds, buckets }: Series): string[] {
  const name = "cadastre_http_request_duration_seconds";
  return [
    ...BUCKETS.map((limit, index) => `${name}_bucket{${labels},le="${limit}"} ${buckets[index]}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${seconds}`,
    `${name}_count{${labels}} ${count}`,
  ];
}
