import type { NetworkChoice } from "../../../src/network/hosts/choices.ts";
import type { Proposal } from "../../../src/network/hosts/form_checks.ts";
import { Conflict, type EditConflict } from "../../parts/conflict.tsx";
import { Field, type Filled, Summary } from "../../parts/forms.tsx";
import { OtherFields } from "../../parts/resource_fields.tsx";
import { SaveButtons } from "../../parts/save_buttons.tsx";
import {
  AddressField,
  CheckNote,
  type EditedConnection,
  MacField,
  NetworkField,
  useFieldCheck,
} from "../connection.tsx";
import { hostPath } from "../paths.ts";

export interface FormProps {
  /** Where the form is shown and sent to. */
  action: string;
  filled: Filled;
  host: string;
  of: EditedConnection;
  networks: NetworkChoice[];
  /** The MAC addresses of the host's items. */
  macs: string[];
  proposal: Proposal | undefined;
  /** The version of the edited interface. */
  version?: number;
  conflict?: EditConflict;
}

/** The form that creates and edits an interface. */
export function InterfaceForm(props: FormProps) {
  const { action, filled, host, of, networks, macs, proposal, version, conflict } = props;
  return (
    <form class="sheet host" method="post" action={action} data-guard>
      {version && <input type="hidden" name="version" value={version} />}
      {conflict && <Conflict {...conflict} noun="interface" shape={filled.shape} />}
      <Summary filled={filled} />
      <NetworkField filled={filled} of={of} networks={networks} none="Choose a network" autofocus />
      <Name filled={filled} of={of} />
      <div class="pair">
        <AddressField filled={filled} of={of} proposal={proposal} />
        <MacField filled={filled} of={of} macs={macs} />
      </div>
      {!version && (
        <Field
          filled={filled}
          name="cnames"
          hint="One per line: a name in the domain of the network, or a full name"
          rows={2}
        />
      )}
      <OtherFields filled={filled} placed={PLACED} />
      <SaveButtons isNew={!version} back={hostPath(host)} />
    </form>
  );
}

const PLACED = ["network", "name", "ip", "mac", "cnames"];

function Name({ filled, of }: Pick<FormProps, "filled" | "of">) {
  const check = useFieldCheck(of);
  return (
    <div>
      <Field filled={filled} name="name" more={check("name")} />
      <CheckNote field="name" />
    </div>
  );
}
