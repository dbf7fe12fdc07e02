// POST /network/hosts/_gather: adds the selected hosts of a list to a group or removes them from it.
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import { Refusal, refuse, unknownName } from "../../../src/input/errors.ts";
import { closed, line, readFormInput } from "../../../src/input/shape.ts";
import * as groups from "../../../src/network/groups/form_input.ts";
import { findNamed } from "../../../src/network/groups/groups.ts";
import * as bulk from "../../../src/network/hosts/bulk.ts";
import { EDITORS } from "../../../src/network/hosts/view.ts";
import { rowOf } from "../../../src/store/records.ts";
import { page, redirect } from "../../layout/page.tsx";
import { PageHead } from "../../layout/page_head.tsx";
import { countOf } from "../../parts/count.ts";
import { attempt, blank, Field, type Filled, idOf, refused, Summary } from "../../parts/forms.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { field, selectionIn } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { withParams } from "../../request/url_parameters.ts";
import { ENTER_GROUP } from "../../texts.ts";
import { hostPath } from "../paths.ts";
import { PATH } from "./list.tsx";

const SHAPE = closed({ group: line(100, ENTER_GROUP) });
type Direction = "join" | "leave";

export const hostAddToGroupPages = new Elysia({ prefix: PATH, normalize: false }).use(guard).post(
  "/_gather",
  async ({ request, caller, form }) => {
    const chosen = await bulk.selectedHosts(
      caller,
      await bulk.selectedKeys(caller, selectionIn(form, "hosts")),
    );
    const direction = directionIn(form);
    return direction
      ? move(request, caller, { chosen, form, direction })
      : show(request, { chosen, form, filled: blank(SHAPE) });
  },
  { see: EDITORS },
);

interface FormRequest {
  chosen: bulk.SelectedHost[];
  form: FormData;
}

function show(
  request: Request,
  { chosen, form, filled }: FormRequest & { filled: Filled },
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
  { chosen, form, direction }: FormRequest & { direction: Direction },
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
  return redirect(
    request,
    backOf(form),
    direction === "join" ? `Added ${many} to ${tried.done}` : `Removed ${many} from ${tried.done}`,
  );
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
  return withParams(PATH, new URLSearchParams(field(form, "filter")), {});
}

function AddToGroup({
  chosen,
  form,
  filled,
  back,
}: FormRequest & { filled: Filled; back: string }) {
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
