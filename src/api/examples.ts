// An example of the body of each operation, for the OpenAPI document. A test sends them in this order to an empty register.

type Body = Record<string, unknown>;

interface RecordExample {
  /** As in the ids of its operations: createHost, importHosts. */
  one: string;
  many: string;
  /** The field that names a record. */
  key?: string;
  created: Body;
  /** With names where the body of a new record has keys: for PUT and imports. */
  named?: Body;
  changed?: Body;
}

const RECORDS: RecordExample[] = [
  record("Manufacturer", { name: "Siemens" }, { description: "Automation" }),
  record("Model", { name: "S7-1500", description: "Controller" }, { description: null }),
  record("Status", { name: "In service" }, { description: "Works where it is" }, "Statuses"),
  record("Location", { name: "Hall A" }, { description: "Accelerator hall" }),
  record("DeviceType", { name: "Robot" }),
  record("Domain", { name: "lab.example.org" }),
  {
    ...record(
      "Scope",
      { name: "Lab", first_vlan: 100, last_vlan: 199, supernet: "10.20.0.0/16", domain_id: 1 },
      { description: "The laboratories" },
    ),
    named: { domain: "lab.example.org" },
  },
  {
    ...record(
      "Network",
      {
        ...{ vlan_name: "CSLab", vlan_id: 110, address: "10.20.10.0/24", gateway: "10.20.10.254" },
        ...{ first_ip: "10.20.10.10", last_ip: "10.20.10.250", scope: "Lab" },
      },
      { description: "Controls" },
    ),
    key: "vlan_name",
  },
  record("Group", { name: "ioc", vars: { retention_days: 30 } }, { children: [] }),
  {
    ...record(
      "Item",
      { ics_id: "AAA001", serial_number: "SN-1", manufacturer: "Siemens", location: "Hall A" },
      { status: "In service" },
    ),
    key: "ics_id",
  },
  {
    ...record(
      "MacAddress",
      { address: "02:42:42:00:00:01", item_id: 1 },
      { item_id: null },
      "MacAddresses",
    ),
    key: "address",
    named: { item: "AAA001" },
  },
  record(
    "Host",
    { name: "ioc-01", device_type: "Physical", network: "CSLab", automation_groups: ["ioc"] },
    { is_ioc: true, items: ["AAA001"] },
  ),
  record(
    "Interface",
    { name: "ioc-01-mgmt", host: "ioc-01", network: "CSLab", mac: "02:42:42:00:00:02" },
    { description: "Management" },
  ),
  {
    ...record("Cname", { name: "archiver.lab.example.org", interface_id: 1 }),
    named: { interface: "ioc-01" },
  },
];

function record(one: string, created: Body, changed?: Body, many = `${one}s`): RecordExample {
  return { one, many, created, ...(changed && { changed }) };
}

function examplesOf({ one, many, key = "name", created, named = {}, changed }: RecordExample) {
  const byName = Object.fromEntries(
    Object.entries(created).filter(([field]) => !/^(domain|interface|item)_id$/.test(field)),
  );
  const { [key]: _, ...others } = { ...byName, ...named };
  return {
    [`create${one}`]: created,
    ...(changed && { [`update${one}`]: changed }),
    [`put${one}`]: others,
    [`import${many}`]: [{ ...byName, ...named }],
  };
}

const PASSWORD = "correct horse battery staple";
const FILTERS = { kind: ["hosts", "interfaces"] };

/** Of each kind of record that has files. */
function filesOf(one: string) {
  return {
    [`add${one}File`]: "Calibrated on 12 March; valid for two years",
    [`update${one}File`]: { caption: "Calibration" },
  };
}

export const EXAMPLES: Record<string, Body | Body[] | string> = {
  logIn: { username: "alice", password: PASSWORD },
  updateProfile: { display_name: "Alice Adams" },
  ...examplesOf({
    ...record(
      "User",
      { username: "erin", password: PASSWORD, groups: ["network"] },
      { groups: ["network", "inventory"] },
    ),
    key: "username",
  }),
  createToken: { description: "Nightly report", read_only: true },
  rotateToken: { overlap_minutes: 60 },
  ...examplesOf({
    ...record(
      "ServiceAccount",
      { username: "ansible", groups: ["network"] },
      { display_name: "Ansible" },
    ),
    key: "username",
  }),
  createServiceAccountToken: { description: "Inventory", limits: ["network:read"] },
  rotateServiceAccountToken: { overlap_minutes: 0 },
  ...Object.assign({}, ...RECORDS.map(examplesOf)),
  createSiteField: {
    ...{ record: "item", key: "rp_class", label: "Radiation class", type: "choice" },
    ...{ choices: ["A=Controlled area", "B"], group: "Safety" },
  },
  updateSiteField: { label: "Class of radiation" },
  addUserRight: { right: "network", place: "Lab" },
  addItemComment: { body: "Moved after the leak" },
  updateComment: { body: "Moved after the leak in November" },
  ...Object.assign({}, ...["Item", "Model", "Location", "Host", "Network"].map(filesOf)),
  searchHostsByBody: { q: "name:ioc*", network: ["CSLab"], name__startswith: "ioc" },
  previewGroup: { name: "iocs", type: "query", query: "name:ioc*", vars: { retention_days: 60 } },
  createWatch: { table_name: "hosts", row_id: 1, mail: "daily" },
  updateWatch: { mail: "at_once" },
  updateWatchSettings: { digest_hour: 7 },
  ...examplesOf(
    record(
      "Webhook",
      { name: "DNS", url: "https://hooks.example.org/dns", filters: FILTERS },
      { filters: { kind: ["networks"] } },
    ),
  ),
  rotateWebhookSecret: {},
  testWebhook: {},
  replayWebhook: { from: "2026-01-31 14:00", to: "2026-01-31 15:00" },
  sendWebhookDelivery: {},
  ...examplesOf(
    record(
      "Trigger",
      {
        ...{ name: "DHCP", template: "post", url: "https://jobs.example.org/dhcp" },
        ...{ body: '{"run": "{{ run.id }}"}', filters: FILTERS },
      },
      { quiet_seconds: 30 },
    ),
  ),
  testTrigger: {},
  repeatTriggerRun: {},
  undoChange: {},
};

/** Values of parameters, by their places and names. */
export const PARAMETERS: Record<string, Record<string, unknown>> = {
  path: {
    id: "1",
    name: "ioc-01",
    ics_id: "AAA001",
    vlan_name: "CSLab",
    address: "02:42:42:00:00:01",
  },
  query: {
    q: "name:ioc*",
    sort: "-id",
    fields: "id",
    cursor: "*",
    at: "2026-01-31 14:05",
    lookups: { id__gte: "1" },
  },
};
