// The operations that are measured, named as on the results page.

export interface BenchOperation {
  name: string;
  path: string;
  /** The user and credential: programs send a token, browsers a session. */
  as: "admin" | "reader" | "browser";
  clients: number;
  /** The plot that shows it. */
  plot: "items" | "hosts" | "searches" | "others";
  /** With a bare route and pgbench, which send the same statements. */
  compared?: boolean;
  /** A list, record, page or search, which people wait for. */
  isRead?: boolean;
  /** It looks at all records. */
  readsAll?: boolean;
  /** It needs more data than the smaller sizes have. */
  deep?: boolean;
  /** Sent again with the ETag of the first response: 304. */
  isConditional?: boolean;
  /** What each request creates; `%d` is an unused number and `%s` an unused label. */
  makes?: string;
  /** More time for slow operations. */
  seconds?: number;
}

/** A typical record of each kind. */
export interface Examples {
  item: { ics_id: string; serial_number: string };
  host: { id: number; name: string };
}

/** Enough clients to keep two cores busy without a long queue. */
const BUSY = 8;
export const MANY_CLIENTS = 32;
export const BENCH_NETWORK = "Bench";
const API = "/api/v1";

export function operations({ item, host }: Examples): BenchOperation[] {
  return [
    ...ofItems(item),
    ...ofHosts(host),
    ...searches(item.serial_number, host.name),
    ...feeds,
    ...pages(item.ics_id),
    ...creations,
  ];
}

function ofItems({ ics_id, serial_number }: Examples["item"]): BenchOperation[] {
  const [path, plot] = ["/inventory/items", "items"] as const;
  return [
    read("Items, first page", { path, plot }),
    read("Items, the 1,000th page", { path: `${path}?page=1000`, plot, deep: true }),
    read("Items, filtered by status", { path: `${path}?status=In%20stock`, plot }),
    read("Items, filtered by serial number", {
      path: `${path}?serial_number=${serial_number}`,
      plot,
    }),
    read("One item", { path: `${path}/${ics_id}`, plot }),
  ];
}

function ofHosts({ id }: Examples["host"]): BenchOperation[] {
  const [path, plot] = ["/network/hosts", "hosts"] as const;
  return [
    read("Hosts, first page", { path, plot }),
    read("Hosts, first page, for a user who does not see everything", { path, plot, as: "reader" }),
    read("Hosts, the 1,000th page", { path: `${path}?page=1000`, plot, deep: true }),
    read("Hosts, filtered by device type", { path: `${path}?device_type=VME`, plot }),
    read("Hosts, filtered by address", { path: `${path}?ip=10.128.0.10`, plot }),
    read("One host", { path: `${path}/${id}`, plot }),
  ];
}

/** A few of each kind: search.ts knows more. */
function searches(serial: string, name: string): BenchOperation[] {
  const prefix = `name:${name.slice(0, -1)}*`;
  return [
    search("Items, found by a serial number", "/inventory/items", serial),
    search("Hosts, found by a name", "/network/hosts", name),
    search("Hosts, found by a word of descriptions", "/network/hosts", "controller"),
    search("Hosts, found by a prefix", "/network/hosts", prefix),
    { ...search("Hosts, found by a part of a word", "/network/hosts", "*vac*"), readsAll: true },
    search("Hosts, found by a mistyped name", "/network/hosts", `name:x${name.slice(1)}~1`),
    search("Hosts with all that is inside, found by a prefix", "/network/hosts/search", prefix),
  ];
}

const ANSIBLE = `${API}/network/export/ansible`;
const FEED = { path: ANSIBLE, as: "admin", plot: "others" } as const;
const feeds: BenchOperation[] = [
  { ...FEED, name: "Ansible inventory, without an ETag", clients: 1, seconds: 1 },
  { ...FEED, name: "Ansible inventory, unchanged", clients: BUSY, isConditional: true },
];

function pages(ics_id: string): BenchOperation[] {
  return [
    view("Page of the hosts", "/network/hosts"),
    view("Page of the items", "/inventory/items"),
    view("Page of an item", `/inventory/items/view/${ics_id}`),
    { ...view("Home page", "/"), readsAll: true },
  ];
}

const ITEM_BODY = '{"ics_id":"%s","serial_number":"B-%d"}';
export const HOST_BODY = `{"name":"bench-%d","device_type":"Physical","network":"${BENCH_NETWORK}"}`;
export const CREATE_ALONE = "Create a host with an automatic address";
export const CREATE_TOGETHER = `Create hosts by ${MANY_CLIENTS} clients at once`;
const creations: BenchOperation[] = [
  make("Create an item", { path: "/inventory/items", makes: ITEM_BODY, clients: BUSY }),
  make(CREATE_ALONE, { path: "/network/hosts", makes: HOST_BODY, clients: 1 }),
  make(CREATE_TOGETHER, { path: "/network/hosts", makes: HOST_BODY, clients: MANY_CLIENTS }),
];

/** The operations whose latency is measured for different numbers of clients. */
export const BY_CLIENTS = ["Items, first page", "One host", "Page of the hosts"];

function read(
  name: string,
  reading: Pick<BenchOperation, "path" | "plot"> & Partial<BenchOperation>,
) {
  const how = { as: "admin", clients: BUSY, compared: true, isRead: true } as const;
  return { ...how, ...reading, name, path: API + reading.path };
}

function search(name: string, path: string, query: string): BenchOperation {
  return read(name, { path: `${path}?q=${encodeURIComponent(query)}`, plot: "searches" });
}

function view(name: string, path: string): BenchOperation {
  return { ...read(name, { path, plot: "others", as: "browser" }), path };
}

function make(
  name: string,
  making: Pick<BenchOperation, "path" | "makes" | "clients">,
): BenchOperation {
  return { ...making, name, path: API + making.path, as: "admin", plot: "others" };
}
