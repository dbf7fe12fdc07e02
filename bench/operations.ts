// What is measured, in the words of the page of results.

export interface Operation {
  name: string;
  path: string;
  /** Whom it is asked as: programs show a token, browsers a session. */
  as: "admin" | "reader" | "browser";
  clients: number;
  /** Compared with a bare route and pgbench in every round; others seldom, and with pgbench alone. */
  core?: boolean;
  /** It has statements of its own that others can send. */
  compared?: boolean;
  /** It is also measured on less data. */
  scaled?: boolean;
  /** Asked again with the tag of the first answer: 304. */
  known?: boolean;
  /** What each request makes; `%d` is a number and `%s` a label that nothing has yet. */
  makes?: string;
  /** For what takes long, so that enough of it is measured. */
  seconds?: number;
}

/** A record of each kind, in the midst of the others. */
export interface Examples {
  item: { ics_id: string; serial_number: string };
  host: { id: number; name: string };
}

/** What keeps two cores busy without a queue that would be all that is measured. */
const BUSY = 8;
export const MANY = 32;
export const GROUND = "Bench";
const API = "/api/v1";

export function operations({ item, host }: Examples): Operation[] {
  return [
    ...ofItems(item),
    ...ofHosts(host),
    ...searches(host.name),
    ...feeds,
    ...pages(item.ics_id),
    ...making,
  ];
}

function ofItems({ ics_id, serial_number }: Examples["item"]): Operation[] {
  const path = "/inventory/items";
  return [
    read("Items, first page", path, { core: true, scaled: true }),
    read("Items, the 1,000th page", `${path}?page=1000`, { core: true }),
    read("Items, filtered by status", `${path}?status=In%20stock`, { core: true, scaled: true }),
    read("Items, filtered by serial number", `${path}?serial_number=${serial_number}`, {
      core: true,
      scaled: true,
    }),
    read("Items, looked for by text", `${path}?q=${serial_number.slice(0, 6)}`, { scaled: true }),
    read("One item", `${path}/${ics_id}`, { core: true, scaled: true }),
  ];
}

function ofHosts({ id }: Examples["host"]): Operation[] {
  const path = "/network/hosts";
  return [
    read("Hosts, first page", path, { core: true, scaled: true }),
    read("Hosts, first page, to one who may not see all", path, { core: true, as: "reader" }),
    read("Hosts, the 1,000th page", `${path}?page=1000`, { core: true }),
    read("Hosts, filtered by device type", `${path}?device_type=VME`, { scaled: true }),
    read("Hosts, filtered by address", `${path}?ip=10.128.0.10`, { scaled: true }),
    read("One host", `${path}/${id}`, { core: true, scaled: true }),
  ];
}

function searches(name: string): Operation[] {
  return [
    search("a name", name),
    search("a word of descriptions", "controller"),
    search("two words", "controller AND section"),
    search("a prefix", `name:${name.slice(0, -1)}*`),
    search("a wildcard", `name:*${name.slice(-3)}`),
    search("a mistyped name", `name:x${name.slice(1)}~1`),
    search("a regular expression", `name:/${name.slice(0, -1)}[0-4]/`),
    search("a block of addresses", 'interfaces.ip:"10.128.0.0/24"'),
    search("a variable", "automation_vars.section:42"),
    search("a word that nothing has", "heliopause"),
    read(
      "Search of hosts, whole records of some",
      `/network/hosts/search?q=name:${name.slice(0, -1)}*`,
    ),
  ];
}

const ANSIBLE = `${API}/network/export/ansible`;
const feeds: Operation[] = [
  { name: "Ansible inventory, whole", path: ANSIBLE, as: "admin", clients: 1, seconds: 2 },
  { name: "Ansible inventory, unchanged", path: ANSIBLE, as: "admin", clients: BUSY, known: true },
];

function pages(ics_id: string): Operation[] {
  return [
    view("Page of the hosts", "/network/hosts"),
    view("Page of the items", "/inventory/items"),
    view("Page of an item", `/inventory/items/view/${ics_id}`),
  ];
}

const AN_ITEM = '{"ics_id":"%s","serial_number":"B-%d"}';
const A_HOST = `{"name":"bench-%d","device_type":"Physical","network":"${GROUND}"}`;
export const ALONE = "Create a host with an automatic address";
export const TOGETHER = `The same by ${MANY} clients at once`;
const making: Operation[] = [
  make("Create an item", { path: "/inventory/items", makes: AN_ITEM, clients: BUSY }),
  make(ALONE, { path: "/network/hosts", makes: A_HOST, clients: 1 }),
  make(TOGETHER, { path: "/network/hosts", makes: A_HOST, clients: MANY }),
];

/** Those of which the latency is measured against the number of clients. */
export const CROWDED = ["Items, first page", "One host", "Page of the hosts"];

function read(name: string, path: string, more: Partial<Operation> = {}): Operation {
  return { name, path: API + path, as: "admin", clients: BUSY, compared: true, ...more };
}

function search(kind: string, query: string): Operation {
  const path = `/network/hosts?q=${encodeURIComponent(query)}`;
  return read(`Hosts, found by ${kind}`, path, { scaled: true });
}

function view(name: string, path: string): Operation {
  return { name, path, as: "browser", clients: BUSY, core: true, compared: true, scaled: true };
}

function make(name: string, making: Pick<Operation, "path" | "makes" | "clients">): Operation {
  return { ...making, name, path: API + making.path, as: "admin" };
}
