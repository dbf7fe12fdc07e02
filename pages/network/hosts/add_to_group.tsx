// POST /network/hosts/_gather: hosts that are ticked in a list, put into a group or taken out of it.
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { invalid, Refusal } from "../../../src/input/errors.ts";
import { closed, line, readForm } from "../../../src/input/shape.ts";
import * as groups from "../../../src/network/groups/form_input.ts";
import { findNamed } from "../../../src/network/groups/groups.ts";
import * as bulk from "../../../src/network/hosts/bulk.ts";
import { EDITORS } from "../../../src/network/hosts/view.ts";
import { rowOf } from "../../../src/store/records.ts";
import { page, redirect } from "../../layout/page.tsx";
import { attempt, blank, Field, type Filled, idOf, refused, Summary } from "../../parts/forms.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { field, selectionIn } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { withParams } from "../../request/url_parameters.ts";
import { hostPath } from "../paths.ts";
import { PATH } from "./list.tsx";

const SHAPE = closed({ group: line(100, "Name a group") });
type Move = "join" | "leave";

export const hostGatherPages = new Elysia({ prefix: PATH, normalize: false }).use(guard).post(
  "/_gather",
  async ({ request, caller, form }) => {
    const chosen = await bulk.chosen(
      caller,
      await bulk.selectedKeys(caller, selectionIn(form, "hosts")),
    );
    const deed = moveIn(form);
    return deed
      ? move(request, caller, { chosen, form, deed })
      : show(request, { chosen, form, filled: blank(SHAPE) });
  },
  { see: EDITORS },
);

interface Sent {
  chosen: bulk.SelectedHost[];
  form: FormData;
}

function show(request: Request, { chosen, form, filled }: Sent & { filled: Filled }): Response {
  const title = "Put hosts into a group";
  const back = backOf(form);
  return page(request, {
    title,
    status: filled.faults.length > 0 ? 422 : 200,
    crumbs: [{ label: "Network" }, { label: "Hosts", href: back }, { label: title }],
    body: <Gather chosen={chosen} form={form} filled={filled} back={back} />,
  });
}

async function move(
  request: Request,
  caller: Caller,
  { chosen, form, deed }: Sent & { deed: Move },
): Promise<Response> {
  const names = chosen.map(({ name }) => name);
  const tried = await attempt(async () => {
    const { group } = readForm(SHAPE, form);
    const { id, name } = await groupNamed(caller, group);
    await groups.changeMembers(caller, id, deed === "join" ? { add: names } : { remove: names });
    return name;
  });
  if ("refusal" in tried) {
    const { errors: faults } = tried.refusal;
    const shown = faults.map(({ message }) => ({ field: "group", message }));
    return show(request, {
      chosen,
      form,
      filled: { ...refused(SHAPE, form, tried.refusal), faults: shown },
    });
  }
  const many = names.length === 1 ? "1 host is" : `${names.length} hosts are`;
  return redirect(
    request,
    backOf(form),
    `${many} ${deed === "join" ? "in" : "out of"} ${tried.done}`,
  );
}

async function groupNamed(caller: Caller, name: string) {
  try {
    return rowOf(await findNamed(caller, name));
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.status !== 404) throw fault;
    throw invalid("group", `'${name}' is not a valid group`);
  }
}

function moveIn(form: FormData): Move | undefined {
  const deed = field(form, "deed");
  return deed === "join" || deed === "leave" ? deed : undefined;
}

function backOf(form: FormData): string {
  return withParams(PATH, new URLSearchParams(field(form, "filter")), {});
}

function Gather({ chosen, form, filled, back }: Sent & { filled: Filled; back: string }) {
  const id = idOf("group");
  return (
    <>
      <header class="head">
        <div>
          <h1>Put hosts into a group</h1>
          <p class="lead">Or take them out of it. Those that are there already stay as they are.</p>
        </div>
      </header>
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
            Put {chosen.length} in
          </button>
          <button type="submit" name="deed" value="leave">
            Take them out
          </button>
          <a class="button quiet" href={back}>
            Cancel
          </a>
        </div>
      </form>
    </>
  );
}
