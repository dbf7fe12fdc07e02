// The fields that connect a host to a network, in the forms of hosts and interfaces; form_checks.tsx checks them while
// the user types.
import type { ComponentChildren } from "preact";
import type { Caller } from "../../src/auth/auth.ts";
import type { Refusal } from "../../src/input/errors.ts";
import { proposeNextAddress } from "../../src/network/hosts/address_conflict.ts";
import { MOST_NETWORKS, type NetworkChoice } from "../../src/network/hosts/choices.ts";
import { type FieldCheck, type Proposal, withOwners } from "../../src/network/hosts/form_checks.ts";
import { BY_BOX, CheckBox, Field, type Filled, idOf, refused } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { Select } from "../parts/select.tsx";
import { Suggestions, suggesting } from "../parts/typeahead.tsx";
import { field } from "../request/form_values.ts";
import { useHx } from "../request/frame.ts";
import { inPlainWords } from "../texts.ts";

/** The record that is edited, if it exists. */
export interface EditedConnection {
  host?: number;
  interface?: number;
}

interface Props {
  filled: Filled;
  of: EditedConnection;
}

/** Checks a field while the user types; the answer replaces the note below it. */
export function useFieldCheck(of: EditedConnection): (field: string) => Record<string, string> {
  const hx = useHx();
  return (field) =>
    hx({
      post: `/network/_validate/${field}${queryOf(of)}`,
      target: `#check-${field}`,
      swap: "outerHTML",
      trigger: "input changed delay:300ms",
      sync: "this:replace",
    });
}

export function queryOf(of: EditedConnection): string {
  const pairs = Object.entries(of).map(([name, id]) => [name, String(id)]);
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

interface CheckProps {
  field: string;
  verdict?: FieldCheck;
  more?: Record<string, string>;
}

/** Rendered empty too, as htmx replaces it. */
export function CheckNote({ field, verdict = {}, more }: CheckProps) {
  const { error, fullName: full } = verdict;
  return (
    <p id={`check-${field}`} class={error ? "error" : "hint"} role="status" {...more}>
      {error ? inPlainWords(error) : full && <FullName name={full} />}
    </p>
  );
}

function FullName({ name }: { name: string }) {
  return (
    <>
      Full name <span class="mono">{name}</span>
    </>
  );
}

interface NetworkProps extends Props {
  networks: NetworkChoice[];
  none: string;
  /** Of the first field of a form. */
  autofocus?: boolean;
}

/** Choosing a network proposes its first free address. */
export function NetworkField({ filled, of, networks, none, autofocus }: NetworkProps) {
  const hx = useHx();
  const more = hx({
    post: `/network/_validate/network${queryOf(of)}`,
    target: "#address",
    swap: "outerHTML",
    trigger: "change",
  });
  if (networks.length > MOST_NETWORKS) {
    const id = idOf("network");
    const names = networks.map(({ name }) => name);
    const suggest = "/network/_suggest/networks";
    return (
      <Field
        filled={filled}
        name="network"
        autofocus={autofocus}
        more={{ ...more, ...suggesting({ id, suggest }) }}
      >
        <Suggestions id={id} names={names} />
      </Field>
    );
  }
  const options = networks.map(({ name, address }) => ({
    value: name,
    label: `${name}, ${address}`,
  }));
  return (
    <Select
      filled={filled}
      name="network"
      options={[{ value: "", label: none }, ...options]}
      autofocus={autofocus}
      more={more}
    />
  );
}

interface AddressProps extends Props {
  proposal?: Proposal;
  verdict?: FieldCheck;
  /** Notes on a move to another network. */
  children?: ComponentChildren;
}

export function AddressField({ filled, of, proposal, verdict, children }: AddressProps) {
  const check = useFieldCheck(of);
  const isReserved = filled.errors.some(({ message }) => message.endsWith(BY_BOX));
  return (
    <div id="address">
      <Field
        filled={filled}
        name="ip"
        hint={hintOf(filled, proposal)}
        more={{ class: "mono", ...check("ip") }}
      />
      <CheckNote field="ip" verdict={verdict} />
      {isReserved && <CheckBox filled={filled} name="force" label="Use this address anyway" />}
      {children}
    </div>
  );
}

function hintOf({ values }: Filled, proposal: Proposal | undefined): string {
  if (!proposal) return "Default: the first free address";
  const { network, ip } = proposal;
  const range = `${network.vlan_name} has ${network.first_ip} to ${network.last_ip}`;
  if (ip === "") return `No free address: ${range}`;
  return ip === values.ip ? "Free now, assigned when you save" : `${range}, next free ${ip}`;
}

interface MacProps extends Props {
  /** The MAC addresses of the items of the host. */
  macs?: string[];
}

export function MacField({ filled, of, macs = [] }: MacProps) {
  const check = useFieldCheck(of);
  const hx = useHx();
  const id = idOf("mac");
  const generate = hx({
    get: `/network/_generate_random_mac${queryOf(of)}`,
    target: "#mac",
    swap: "outerHTML",
  });
  return (
    <div id="mac">
      <Field
        filled={filled}
        name="mac"
        hint="In any notation"
        more={{ class: "mono", list: `${id}-names`, ...check("mac") }}
      >
        <button type="button" class="js-only" {...generate}>
          <Icon name="bolt" /> Generate
        </button>
        <Suggestions id={id} names={macs} />
      </Field>
      <CheckNote field="mac" />
    </div>
  );
}

/** The refused form as it was sent, with the owners of what is taken; an address in use is replaced by the next free one. */
export async function refusedWithNextAddress(
  caller: Caller,
  { shape, form, refusal }: { shape: Filled["shape"]; form: FormData; refusal: Refusal },
): Promise<Filled> {
  const sent = { network: field(form, "network"), ip: field(form, "ip") };
  const other = await proposeNextAddress(caller, refusal, sent);
  const filled = refused(shape, form, other?.refusal ?? (await withOwners(caller, refusal)));
  if (other) filled.values.ip = other.ip;
  return filled;
}
