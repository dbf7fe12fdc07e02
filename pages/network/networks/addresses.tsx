// The addresses in the form of a network: the block, its position in the supernet, the range.
import type { InterfacesOutside } from "../../../src/network/networks/usage.ts";
import type { ScopeSpace } from "../../../src/network/scopes/free_space.ts";
import { BY_BOX, CheckBox, Field, type Filled } from "../../parts/forms.tsx";
import { useHx } from "../../request/frame.ts";
import { Supernet } from "../supernet.tsx";

export interface AddressesProps {
  /** Where the form is shown and sent to. */
  action: string;
  filled: Filled;
  /** The free space of the scope; undefined until one is chosen. */
  space: ScopeSpace | undefined;
  /** Free blocks of the chosen size. */
  subnets: string[];
  editing?: { vlan_name: string; outside: InterfacesOutside | undefined };
}

export function Addresses(props: AddressesProps) {
  const { filled, subnets, space, editing } = props;
  const check = useNetworkCheck(props);
  const mono = { class: "mono" };
  const isDoubted =
    filled.values.force === "true" || filled.errors.some(({ message }) => message.endsWith(BY_BOX));
  return (
    <>
      <Field
        filled={filled}
        name="address"
        hint={space && `A block inside ${space.supernet}`}
        more={{ ...mono, list: "subnets", ...check("address") }}
      >
        <datalist id="subnets">
          {subnets.map((subnet) => (
            <option value={subnet} />
          ))}
        </datalist>
      </Field>
      {editing?.outside && <OutsideOf {...editing.outside} />}
      {space && (
        <Supernet
          supernet={space.supernet}
          pieces={space.networks.filter(({ vlan_name }) => vlan_name !== editing?.vlan_name)}
          proposed={filled.values.address}
        />
      )}
      <div class="pair three">
        <Field filled={filled} name="first_ip" more={{ ...mono, ...check("first_ip") }} />
        <Field filled={filled} name="last_ip" more={{ ...mono, ...check("last_ip") }} />
        <Field filled={filled} name="gateway" more={{ ...mono, ...check("gateway") }} />
      </div>
      {filled.values._proposed && (
        <input type="hidden" name="_proposed" value={filled.values._proposed} />
      )}
      {isDoubted && <CheckBox filled={filled} name="force" label="Use this range anyway" />}
    </>
  );
}

/** The interfaces to move before the network shrinks. */
function OutsideOf({ interfaces, total }: InterfacesOutside) {
  return (
    <div class="note bad outside">
      <p>
        {total.toLocaleString("en")} {total === 1 ? "interface" : "interfaces"} would be outside the
        network:
      </p>
      <ul class="plain">
        {interfaces.map(({ name, ip, host }) => (
          <li>
            <span class="mono">{ip}</span> <a href={`/network/interfaces/edit/${name}`}>{name}</a>
            {name !== host && ` of ${host}`}
          </li>
        ))}
        {total > interfaces.length && (
          <li>and {(total - interfaces.length).toLocaleString("en")} more</li>
        )}
      </ul>
    </div>
  );
}

type Checking = (field: string) => Record<string, string>;

/** Sends the form when a field is left; the answer fills in dependent fields and shows errors. */
export function useNetworkCheck({ action }: AddressesProps): Checking {
  const hx = useHx();
  const how = { post: action, target: "#entry", swap: "outerMorph", trigger: "change" };
  return (field) =>
    hx({ ...how, sync: "closest form:replace", vals: JSON.stringify({ _validate: field }) });
}
