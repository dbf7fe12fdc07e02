// The pages of interfaces: they belong to a host, on whose page they are shown.
import { asDryRun, type Caller } from "../../../src/auth/auth.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { impactOfInterfaces } from "../../../src/network/deletion_impact.ts";
import {
  choices as hostChoices,
  macsOn,
  type NetworkChoice,
  suggest,
} from "../../../src/network/hosts/choices.ts";
import { type Proposal, proposeIn } from "../../../src/network/hosts/form_checks.ts";
import type { Host } from "../../../src/network/hosts/host.ts";
import * as hosts from "../../../src/network/hosts/hosts.ts";
import * as entry from "../../../src/network/interfaces/form_input.ts";
import { type Interface, networkInterface } from "../../../src/network/interfaces/interface.ts";
import * as interfaces from "../../../src/network/interfaces/interfaces.ts";
import { offersFor } from "../../../src/network/interfaces/query.ts";
import { choices } from "../../../src/network/scopes/choices.ts";
import { find } from "../../../src/store/crud.ts";
import { rowOf } from "../../../src/store/records.ts";
import { requireWritable } from "../../../src/store/rights/check.ts";
import { textsIn } from "../../../src/store/versions.ts";
import { CellLines } from "../../lists/cell_lines.tsx";
import { filterValue } from "../../lists/choice_filter.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { colourOfName } from "../../lists/pill.tsx";
import { titleIfCut } from "../../lists/row_link.tsx";
import { Copied } from "../../parts/copy.tsx";
import { Field, type Filled } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Column } from "../../parts/list.tsx";
import { UPDATED } from "../../parts/list_columns.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { Typeahead } from "../../parts/typeahead.tsx";
import { field } from "../../request/form_values.ts";
import type { FormParts } from "../../resource/form.tsx";
import { recordChange, recordCreation, type ShownForm } from "../../resource/hooks.ts";
import { type ListHooks, readBy } from "../../resource/list.tsx";
import { ResourcePages } from "../../resource/pages.tsx";
import { confirmDelete } from "../confirm_delete.tsx";
import {
  AddressField,
  CheckNote,
  type EditedConnection,
  MacField,
  NetworkField,
  refusedWithNextAddress,
  useFieldCheck,
} from "../connection.tsx";
import { HOSTS, hostPath, INTERFACES } from "../paths.ts";

const { newEntry, changedEntry, FORM_FIELDS } = entry;
type ListedInterface = Interface & { mayWrite?: boolean };

const FILTERS = ["network", "domain"] as const;

const COLUMNS = columnsOf<ListedInterface>(
  networkInterface,
  [
    {
      name: "name",
      label: "Interface",
      sortable: true,
      fixed: true,
      class: "brief",
      cell: ({ id, name, host, is_main }) => (
        <>
          <a class="open" href={`${hostPath(host)}#interface-${id}`} title={titleIfCut(name)}>
            {name}
          </a>{" "}
          {is_main && <span class="tag good">main</span>}
        </>
      ),
    },
    {
      name: "ip",
      label: "IP",
      sortable: true,
      class: "mono",
      cell: ({ ip }) => <Copied text={ip} />,
    },
    {
      name: "mac",
      label: "MAC",
      sortable: true,
      class: "mono",
      cell: ({ mac }) => mac && <Copied text={mac} />,
    },
    { name: "host", sortable: true },
    { name: "network", sortable: true },
    { name: "domain", sortable: true, rare: true },
    {
      name: "cnames",
      cell: ({ cnames }) => <CellLines texts={cnames} />,
    },
    { name: "description", sortable: true, cell: (row) => row.description },
    {
      name: "device_type",
      label: "Type",
      sortable: true,
      rare: true,
      pill: (row) => colourOfName(row.device_type),
    },
    { name: "model", sortable: true, rare: true },
    UPDATED,
    { name: "user", sortable: true, rare: true },
  ],
  ["is_main"],
);

const CHANGE: Column<ListedInterface> = {
  name: "change",
  label: "Edit",
  class: "tight",
  fixed: true,
  cell: ({ name, mayWrite }) =>
    mayWrite === false ? null : (
      <a class="button quiet square" href={`${INTERFACES}/edit/${name}`} title="Edit">
        <Icon name="pencil" /> <span class="hidden">Edit {name}</span>
      </a>
    ),
};

const list: ListHooks<ListedInterface> = {
  lead: "Addresses and names of hosts",
  icon: "network",
  read: readBy(INTERFACES, interfaces.list, offersFor),
  columns: ({ mayEdit }) => (mayEdit ? [...COLUMNS, CHANGE] : COLUMNS),
  filters: (params, _request, caller) => filters(params, caller),
  fields: FILTERS,
  isAddedElsewhere: true,
  hasApi: true,
  empty: () => <Empty />,
};

export const interfacePages = new ResourcePages({
  resource: networkInterface,
  list,
  find: entry.findNamed,
  creation: recordCreation({
    owner: "hostname",
    shape: newEntry,
    work: async (caller, input, { form, owner }) => {
      await entry.create(caller, owner, input);
      return { name: field(form, "name").toLowerCase() };
    },
    placeholders: { name: crypto.randomUUID() },
  }),
  change: recordChange({
    shape: changedEntry,
    values: (record) => textsIn(record, FORM_FIELDS),
    work: (caller, input, { edited }) => entry.update(caller, edited, input),
  }),
  form: interfaceForm,
  refused: refusedWithNextAddress,
  after: ({ owner, row }) => hostPath(row?.host ?? owner),
  removal: {
    by: { field: "id", find: (caller, text) => find(networkInterface, caller, keyNamed(text)) },
    confirm: async (request, caller, { row: { id, name, ip, host }, form }) => {
      // Refuses before the user types the name.
      await interfaces.remove(asDryRun(caller), id);
      return confirmDelete(request, form, {
        called: `interface ${name} at ${ip}`,
        name,
        kept: [["id", String(id)]],
        impact: await impactOfInterfaces([id]),
        addresses: 1,
        back: hostPath(host),
        crumbs: crumbsOf(host),
      });
    },
    work: interfaces.remove,
    said: ({ name, ip }) => `Deleted ${name}; ${ip} is free`,
    after: ({ host }) => hostPath(host),
  },
}).routes();

function crumbsOf(host: string) {
  return [
    { label: "Network" },
    { label: "Hosts", href: HOSTS },
    { label: host, href: hostPath(host) },
  ];
}

async function filters(params: URLSearchParams, caller: Caller) {
  const [networks, { domains }] = await Promise.all([suggest(caller, "filters", ""), choices()]);
  const offered = {
    network: {
      names: networks.map(({ name }) => name),
      suggest: "/network/_suggest/filters",
    },
    domain: { names: domains, suggest: "/network/_retrieve_names/domains" },
  };
  return FILTERS.map((name) => (
    <Typeahead
      name={name}
      id={`filter-${name}`}
      label={networkInterface.fields[name].label}
      value={filterValue(params, name)}
      {...offered[name]}
    />
  ));
}

function Empty() {
  return (
    <div class="empty">
      <EmptyPicture icon="network" />
      <p>No interfaces yet. Add them on the page of a host</p>
      <a class="button" href={HOSTS}>
        Go to hosts
      </a>
    </div>
  );
}

interface InterfaceInputsProps {
  filled: Filled;
  of: EditedConnection;
  networks: NetworkChoice[];
  /** The MAC addresses of the host's items. */
  macs: string[];
  proposal: Proposal | undefined;
}

async function interfaceForm(state: ShownForm<Interface>): Promise<FormParts> {
  const { caller, edited, owner, sent } = state;
  const host = await hostOf(caller, edited?.row.host ?? owner);
  const { values } = state.filled;
  const isOpened = !edited && !sent;
  const [{ networks }, macs, proposal] = await Promise.all([
    hostChoices(caller),
    macsOn(host.items),
    isOpened && values.network ? proposeIn(caller, values.network) : undefined,
  ]);
  const proposed = { ip: proposal?.ip ?? "", ...values, name: values.name || nextName(host) };
  const filled = isOpened ? { ...state.filled, values: proposed } : state.filled;
  const of = { host: host.id, ...(edited && { interface: edited.id }) };
  return {
    title: edited ? `Edit interface ${edited.name}` : `Add interface to ${host.name}`,
    crumbs: [...crumbsOf(host.name), { label: edited ? `Edit ${edited.name}` : "Add interface" }],
    attributes: { class: "sheet host" },
    filled,
    fields: <Inputs {...{ filled, of, networks, macs, proposal }} />,
    placed: PLACED,
    back: hostPath(host.name),
  };
}

async function hostOf(caller: Caller, called: string): Promise<Host> {
  const host = rowOf(await hosts.findNamed(caller, called));
  await requireWritable(caller, "hosts", host.id);
  return host;
}

/** The name of the host, if no interface has it. */
function nextName({ name, interfaces: taken }: Host): string {
  const names = [name, ...taken.map((_, at) => `${name}-${at + 2}`)];
  return names.find((one) => !taken.includes(one)) ?? name;
}

function Inputs({ filled, of, networks, macs, proposal }: InterfaceInputsProps) {
  return (
    <>
      <NetworkField filled={filled} of={of} networks={networks} none="Choose a network" autofocus />
      <Name filled={filled} of={of} />
      <div class="pair">
        <AddressField filled={filled} of={of} proposal={proposal} />
        <MacField filled={filled} of={of} macs={macs} />
      </div>
      {!of.interface && (
        <Field
          filled={filled}
          name="cnames"
          hint="One per line: a name in the domain of the network, or a full name"
          rows={2}
        />
      )}
    </>
  );
}

const PLACED = ["network", "name", "ip", "mac", "cnames"];

function Name({ filled, of }: Pick<InterfaceInputsProps, "filled" | "of">) {
  const check = useFieldCheck(of);
  return (
    <div>
      <Field filled={filled} name="name" more={check("name")} />
      <CheckNote field="name" />
    </div>
  );
}
