// The pages of scopes: their VLANs and blocks as images.
import type { Caller } from "../../../src/auth/auth.ts";
import { network } from "../../../src/network/networks/network.ts";
import { choices } from "../../../src/network/scopes/choices.ts";
import * as entry from "../../../src/network/scopes/form_input.ts";
import {
  scope as described,
  type Scope,
  type ScopeRow,
} from "../../../src/network/scopes/scope.ts";
import * as scopes from "../../../src/network/scopes/scopes.ts";
import { findRow, listRows } from "../../../src/store/crud.ts";
import { rowOf, rowsOf } from "../../../src/store/records.ts";
import { Parcels } from "../../layout/parcels.tsx";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { Field, type Filled } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { columnsOf, Facts } from "../../parts/resource_fields.tsx";
import { Share } from "../../parts/usage.tsx";
import { recordChange, recordCreation } from "../../resource/hooks.ts";
import { readBy } from "../../resource/list.tsx";
import { ResourcePages } from "../../resource/pages.tsx";
import type { RecordParts } from "../../resource/view.tsx";
import { ONLY_EMPTY_SCOPES } from "../../texts.ts";
import { NETWORKS, SCOPES, scopePath } from "../paths.ts";
import { Choice } from "../scope_choice.tsx";
import { ScopeAddresses } from "./addresses.tsx";
import { ScopeNetworks } from "./networks.tsx";
import { Vlans } from "./vlans.tsx";

export const scopePages = new ResourcePages({
  resource: described,
  list: {
    lead: "VLAN ranges and address blocks for networks",
    icon: "sitemap",
    purpose: "Networks are cut from a scope, which has a range of VLANs and a block of addresses",
    read: readBy(SCOPES, (caller, params) => listRows(described, caller, params)),
    columns: () => COLUMNS,
  },
  find: (caller, name) => findRow(described, caller, name),
  view: ({ caller, row, mayEdit }) => viewOf(caller, row, mayEdit),
  creation: recordCreation({
    shape: entry.newEntry,
    work: async (caller, input) => rowOf(await entry.create(caller, input)),
  }),
  change: recordChange({
    shape: scopes.changedScope,
    work: async (caller, input, { edited }) => rowOf(await scopes.update(caller, edited.id, input)),
  }),
  form: async ({ filled }) => ({
    fields: <Inputs filled={filled} domains={(await choices()).domains} />,
    placed: ["name", "first_vlan", "last_vlan", "supernet", "domain"],
  }),
  removal: {
    detail: ({ supernet }) => `${supernet} and its VLANs will be free. ${ONLY_EMPTY_SCOPES}`,
    work: scopes.remove,
  },
}).routes();

const COLUMNS = columnsOf<ScopeRow, Scope>(
  described,
  [
    {
      name: "name",
      label: "Scope",
      sortable: true,
      fixed: true,
      cell: ({ name }, inList) => (
        <a class="open" href={scopePath(name) + inList}>
          {name}
        </a>
      ),
    },
    {
      name: "first_vlan",
      label: "VLANs",
      sortable: true,
      cell: (row) => `${row.first_vlan} – ${row.last_vlan}`,
    },
    { name: "supernet", sortable: true, class: "mono", cell: (row) => row.supernet },
    { name: "domain", sortable: true },
    {
      name: "count",
      sortable: true,
      class: "number",
      cell: ({ name, count }) => (
        <a href={`${NETWORKS}?scope=${name}`}>{count.toLocaleString("en")}</a>
      ),
    },
    {
      name: "utilisation",
      label: "In use",
      sortable: true,
      cell: (row) => <Share percent={row.utilisation} />,
    },
    { name: "description", sortable: true, cell: (row) => row.description },
  ],
  ["last_vlan", "networks"],
);

const MOST_LISTED = 50;

async function viewOf(caller: Caller, scope: ScopeRow, mayEdit: boolean): Promise<RecordParts> {
  const { id, name, supernet, first_vlan, last_vlan } = scope;
  const query = new URLSearchParams({ scope_id: String(id), per_page: String(MOST_LISTED) });
  const [pieces, listed] = await Promise.all([
    scopes.networksOf(caller, id),
    listRows(network, caller, query),
  ]);
  const newNetwork = (given: Record<string, string>) =>
    `${NETWORKS}/create?${new URLSearchParams({ scope: name, ...given })}`;
  return {
    live: ["networks"],
    lead: (
      <>
        VLANs {first_vlan} – {last_vlan} · <span class="mono">{supernet}</span>
      </>
    ),
    actions: mayEdit && (
      <a class="button" href={newNetwork({})} data-key="c">
        <Icon name="plus" /> Add network
      </a>
    ),
    facts: (
      <>
        <Fact label="In use">
          <Share percent={scope.utilisation} />
        </Fact>
        <Fact label={described.fields.networks.label}>{scope.count.toLocaleString("en")}</Fact>
        <Facts
          of={described}
          row={scope}
          elsewhere={["name", "first_vlan", "last_vlan", "supernet"]}
        />
        <Stamps of={scope} />
      </>
    ),
    contents: (
      <>
        <Parcels as="ornament" />
        <section aria-labelledby="vlans-title">
          <h2 id="vlans-title">VLANs</h2>
          <Vlans scope={scope} pieces={pieces} />
        </section>
        <section aria-labelledby="supernet-title">
          <h2 id="supernet-title">Addresses</h2>
          <ScopeAddresses
            supernet={supernet}
            pieces={pieces}
            createPath={mayEdit ? (address) => newNetwork({ address }) : undefined}
          />
        </section>
        <ScopeNetworks
          name={name}
          networks={rowsOf(listed)}
          total={pieces.length}
          add={mayEdit ? newNetwork({}) : undefined}
        />
      </>
    ),
  };
}

function Inputs({ filled, domains }: { filled: Filled; domains: string[] }) {
  const number = { inputmode: "numeric" };
  return (
    <>
      <Field filled={filled} name="name" autofocus />
      <div class="pair">
        <Field filled={filled} name="first_vlan" more={number} />
        <Field filled={filled} name="last_vlan" more={number} />
      </div>
      <Field
        filled={filled}
        name="supernet"
        hint="Networks are allocated from this block; it must not overlap with other scopes"
        more={{ class: "mono", placeholder: "10.1.0.0/16" }}
      />
      <Choice filled={filled} name="domain" names={domains} hint="Default domain of its networks" />
    </>
  );
}
