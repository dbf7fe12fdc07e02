// What is done with the hosts that are selected in a list: they are deleted, or added to a group or removed from it.
import type { Caller } from "../../../src/auth/auth.ts";
import { forbidden, Refusal, refuse, unknownName } from "../../../src/input/errors.ts";
import { closed, line, readFormInput } from "../../../src/input/shape.ts";
import { impactOfHosts } from "../../../src/network/deletion_impact.ts";
import * as groups from "../../../src/network/groups/form_input.ts";
import { findNamed } from "../../../src/network/groups/groups.ts";
import * as bulk from "../../../src/network/hosts/bulk.ts";
import { rowOf } from "../../../src/store/records.ts";
import { page, redirect, withUndo } from "../../layout/page.tsx";
import { PageHead } from "../../layout/page_head.tsx";
import { countOf } from "../../parts/count.ts";
import { attempt, blank, Field, type Filled, idOf, refused, Summary } from "../../parts/forms.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { field, selectionIn } from "../../request/form_values.ts";
import { withParams } from "../../request/url_parameters.ts";
import { deleted, ENTER_GROUP } from "../../texts.ts";
import { confirmDelete } from "../confirm_delete.tsx";
import { HOSTS, hostPath } from "../paths.ts";

/** Deletes the selected hosts of a list, as far as the caller may. */
export async function removeHosts(
  request: Request,
  caller: Caller,
  form: FormData,
): Promise<Response> {
  const chosen = await chosenIn(caller, form);
  const own = chosen.filter(({ mayDelete }) => mayDelete);
  if (own.length === 0) throw forbidden("Only their creators and admins may delete these hosts");
  const others = chosen.filter(({ mayDelete }) => !mayDelete).map(({ name }) => name);
  const keys = own.map(({ id }) => id);
  const impact = await impactOfHosts(keys);
  const many = countOf(keys.length, "host");
  const back = backOf(form);
  const confirmation = confirmDelete(request, form, {
    called: `${many}: ${listOf(own.map(({ name }) => name))}`,
    name: many,
    impact,
    kept: [["filter", field(form, "filter")], ...idsOf(keys)],
    note:
      others.length > 0
        ? `Not deleted, as you are not their creator: ${listOf(others)}`
        : undefined,
    addresses: impact.interfaces,
    back,
    crumbs: [{ label: "Network" }, { label: "Hosts", href: back }],
  });
  if (confirmation) return confirmation;
  await bulk.remove(caller, keys);
  return redirect(request, back, withUndo(request, deleted(many)));
}

function idsOf(keys: number[]): Array<[string, string]> {
  return keys.map((key) => ["id", String(key)]);
}

const MOST_NAMED = 10;

function listOf(names: string[]): string {
  const rest = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

const SHAPE = closed({ group: line(100, ENTER_GROUP) });
type Direction = "join" | "leave";

/** Adds the selected hosts of a list to a group, or removes them from it. */
export async function moveHosts(
  request: Request,
  caller: Caller,
  form: FormData,
): Promise<Response> {
  const chosen = await chosenIn(caller, form);
  const direction = directionIn(form);
  return direction
    ? move(request, caller, { chosen, form, direction })
    : show(request, { chosen, form, filled: blank(SHAPE) });
}

async function chosenIn(caller: Caller, form: FormData): Promise<bulk.SelectedHost[]> {
  const keys = await bulk.selectedKeys(caller, selectionIn(form, "hosts"));
  return bulk.selectedHosts(caller, keys);
}

interface Selection {
  chosen: bulk.SelectedHost[];
  form: FormData;
}

function show(
  request: Request,
  { chosen, form, filled }: Selection & { filled: Filled },
): Response {
  const title = "Add hosts to a group";
  const back = backOf(form);
  return page(request, {
    title,
    status: filled.errors.length > 0 ? 422 : 200,
    crumbs: [{ label: "Network" }, { label: "Hosts", href: back }, { label: title }],
    body: <AddToGroup chosen={chosen} form={form} filled={filled} back={back} />,
  });
}

async function move(
  request: Request,
  caller: Caller,
  { chosen, form, direction }: Selection & { direction: Direction },
): Promise<Response> {
  const names = chosen.map(({ name }) => name);
  const tried = await attempt(async () => {
    const { group } = readFormInput(SHAPE, form);
    const { id, name } = await groupNamed(caller, group);
    await groups.changeMembers(
      caller,
      id,
      direction === "join" ? { add: names } : { remove: names },
    );
    return name;
  });
  if ("refusal" in tried) {
    const { errors } = tried.refusal;
    const shown = errors.map(({ message }) => ({ field: "group", message }));
    return show(request, {
      chosen,
      form,
      filled: { ...refused(SHAPE, form, tried.refusal), errors: shown },
    });
  }
  const many = countOf(names.length, "host");
  const text =
    direction === "join" ? `Added ${many} to ${tried.done}` : `Removed ${many} from ${tried.done}`;
  return redirect(request, backOf(form), withUndo(request, text));
}

async function groupNamed(caller: Caller, name: string) {
  try {
    return rowOf(await findNamed(caller, name));
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    throw refuse([unknownName("group", name)]);
  }
}

function directionIn(form: FormData): Direction | undefined {
  const direction = field(form, "deed");
  return direction === "join" || direction === "leave" ? direction : undefined;
}

function backOf(form: FormData): string {
  return withParams(HOSTS, new URLSearchParams(field(form, "filter")), {});
}

function AddToGroup({ chosen, form, filled, back }: Selection & { filled: Filled; back: string }) {
  const id = idOf("group");
  return (
    <>
      <PageHead title="Add hosts to a group" lead="Or remove them from it" />
      <form class="sheet" method="post">
        <input type="hidden" name="filter" value={field(form, "filter")} />
        {chosen.map((host) => (
          <input type="hidden" name="id" value={host.id} />
        ))}
        <Summary filled={filled} />
        <Field
          filled={filled}
          name="group"
          autofocus
          more={suggesting({ id, suggest: "/network/_suggest/groups" })}
        >
          <Suggestions id={id} names={[]} />
        </Field>
        <ul class="losses">
          {chosen.map(({ name }) => (
            <li>
              <a href={hostPath(name)}>{name}</a>
            </li>
          ))}
        </ul>
        <div class="buttons">
          <button type="submit" class="primary" name="deed" value="join">
            Add {countOf(chosen.length, "host")}
          </button>
          <button type="submit" name="deed" value="leave">
            Remove {countOf(chosen.length, "host")}
          </button>
          <a class="button quiet" href={back}>
            Cancel
          </a>
        </div>
      </form>
    </>
  );
}
