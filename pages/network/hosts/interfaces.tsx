// The interfaces on the page of a host; cnames are added and removed here.
import { NETWORK_EDITORS } from "../../../src/auth/rights.ts";
import type { InterfaceView } from "../../../src/network/hosts/view.ts";
import { newName } from "../../../src/network/interfaces/form_input.ts";
import { type Interface, networkInterface } from "../../../src/network/interfaces/interface.ts";
import { confirmAttributes } from "../../layout/confirm.tsx";
import { Copy } from "../../parts/copy.tsx";
import { blank, Field, type Filled } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Column } from "../../parts/list_columns.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { useHx } from "../../request/frame.ts";
import { whoAdds } from "../../texts.ts";
import { hostPath } from "../paths.ts";

/** The data for the forms on the page of a host. */
export interface HostFormContext {
  host: string;
  version: number;
  /** Refused forms by name. */
  refused?: Record<string, Filled>;
}

/** The attributes of a form on the page of a host; htmx replaces the details. */
export function useHostForm({ host }: HostFormContext) {
  const hx = useHx();
  const action = hostPath(host);
  return {
    method: "post",
    action,
    ...hx({ post: action, target: "#host", swap: "outerHTML" }),
  } as const;
}

/** The fields that are not drawn by hand below. */
const OTHER_COLUMNS = columnsOf<object, Interface>(
  networkInterface,
  [],
  [
    ...(["name", "is_main", "ip", "mac", "network", "cnames", "description"] as const),
    // Those of its host and its network, and the stamps.
    ...(["host", "device_type", "model", "netmask", "domain"] as const),
    ...(["user", "created_at", "updated_at"] as const),
  ],
);

/** Their names, for the query. */
export const OTHER_FIELDS = OTHER_COLUMNS.map(({ name }) => name as keyof Interface);

interface Props {
  host: string;
  interfaces: InterfaceView[];
  mayAdd: boolean;
  context: HostFormContext;
}

export function Interfaces({ host, interfaces, mayAdd, context }: Props) {
  const others = OTHER_COLUMNS.filter(({ cell }) =>
    interfaces.some(({ other }) => cell(other, "") !== null),
  );
  const labels = ["Name", "IP", "MAC", "Network", "Cnames", "Description"];
  return (
    <section class="region" aria-labelledby="interfaces-title">
      <header class="over">
        <h2 id="interfaces-title">Interfaces</h2>
        {mayAdd && (
          <a class="button" href={`/network/interfaces/create/${host}`}>
            <Icon name="plus" /> Add interface
          </a>
        )}
      </header>
      {interfaces.length === 0 ? (
        <p class="muted">
          No interfaces yet.{" "}
          {mayAdd ? (
            <a href={`/network/interfaces/create/${host}`}>Add the first interface</a>
          ) : (
            whoAdds(NETWORK_EDITORS)
          )}
        </p>
      ) : (
        <table class="list">
          <caption class="hidden">Interfaces</caption>
          <thead>
            <tr>
              {[...labels, ...others.map(({ label }) => label)].map((label) => (
                <th scope="col">{label}</th>
              ))}
              <th scope="col" class="tight">
                <span class="hidden">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {interfaces.map((one) => (
              <Row of={one} others={others} context={context} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface RowProps {
  of: InterfaceView;
  others: Column<object>[];
  context: HostFormContext;
}

function Row({ of, others, context }: RowProps) {
  const { name, is_main, ip, mac, twin, network, address, description } = of;
  return (
    <tr id={`interface-${of.id}`}>
      <td data-label="Name">
        {name} {is_main && <span class="tag good">main</span>}
      </td>
      <td data-label="IP" class="mono">
        {ip} <Copy text={ip} />
      </td>
      <td data-label="MAC" class="mono">
        {mac && (
          <>
            {mac} <Copy text={mac} />
            {twin && (
              <div class="tag warn">
                also on <a href={hostPath(twin)}>{twin}</a>
              </div>
            )}
          </>
        )}
      </td>
      <td data-label="Network">
        <div>
          <a href={`/network/networks/view/${network}`}>{network}</a>{" "}
          <span class="muted mono">{address}</span>
        </div>
      </td>
      <td data-label="Cnames">
        <Cnames of={of} context={context} />
      </td>
      <td data-label="Description">{description}</td>
      {others.map((column) => (
        <td data-label={column.label} class={column.class}>
          {column.cell(of.other, "")}
        </td>
      ))}
      <td class="tight">
        <Changes of={of} />
      </td>
    </tr>
  );
}

function Cnames({ of, context }: { of: InterfaceView; context: HostFormContext }) {
  const act = useHostForm(context);
  return (
    <div>
      {of.cnames.map(({ id, name, mayDelete }) => (
        <div class="named">
          {name}
          {mayDelete && (
            <form {...act} class="take-off">
              <input type="hidden" name="action" value="remove_cname" />
              <input type="hidden" name="cname" value={id} />
              <button
                type="submit"
                class="quiet square copy"
                aria-label={`Delete cname ${name}`}
                title="Delete"
              >
                <Icon name="x" />
              </button>
            </form>
          )}
        </div>
      ))}
      {of.mayChange && <NewCname of={of} context={context} />}
    </div>
  );
}

function NewCname({ of, context }: { of: InterfaceView; context: HostFormContext }) {
  const act = useHostForm(context);
  const form = `cname-${of.id}`;
  const refused = context.refused?.[form];
  const filled: Filled = refused ?? blank(newName);
  return (
    <details class="chooser" open={refused !== undefined}>
      <summary>
        <Icon name="plus" /> Add <span class="hidden">cname of {of.name}</span>
      </summary>
      <form {...act}>
        <input type="hidden" name="action" value="add_cname" />
        <input type="hidden" name="interface" value={of.id} />
        <Field
          filled={filled}
          name="name"
          form={form}
          label="New cname"
          hint={`A name in ${of.domain}, or a full name`}
        />
        <button type="submit">Add</button>
      </form>
    </details>
  );
}

function Changes({ of }: { of: InterfaceView }) {
  const { id, name, ip, cnames, mayChange, mayDelete } = of;
  const question = {
    title: `Delete interface ${name}?`,
    detail: `The address ${ip} will be free.`,
    verb: "Delete",
  };
  return (
    <div class="changes">
      {mayChange && (
        <a
          class="button quiet square"
          href={`/network/interfaces/edit/${name}`}
          aria-label={`Edit ${name}`}
          title="Edit"
        >
          <Icon name="pencil" />
        </a>
      )}
      {mayDelete && (
        <form
          method="post"
          action="/network/interfaces/delete"
          {...(cnames.length === 0 ? confirmAttributes(question) : {})}
        >
          <input type="hidden" name="id" value={id} />
          <button
            type="submit"
            class="quiet bad square"
            aria-label={`Delete ${name}`}
            title="Delete"
          >
            <Icon name="trash" />
          </button>
        </form>
      )}
    </div>
  );
}
