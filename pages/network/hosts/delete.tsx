// POST /network/hosts/delete, and POST /network/hosts/_bulk for the selected hosts of a list.
import { Elysia } from "elysia";
import { asDryRun, type Caller } from "../../../src/auth/auth.ts";
import { forbidden } from "../../../src/input/errors.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { impactOfHosts } from "../../../src/network/deletion_impact.ts";
import * as bulk from "../../../src/network/hosts/bulk.ts";
import * as hosts from "../../../src/network/hosts/hosts.ts";
import { EDITORS } from "../../../src/network/hosts/view.ts";
import { rowOf } from "../../../src/store/records.ts";
import { redirect, withUndo } from "../../layout/page.tsx";
import { countOf } from "../../parts/count.ts";
import { field, selectionIn } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { withParams } from "../../request/url_parameters.ts";
import { deleted } from "../../texts.ts";
import { confirmDelete } from "../confirm_delete.tsx";
import { hostPath } from "../paths.ts";
import { PATH } from "./list.tsx";

export const hostDeletePages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .post("/delete", ({ request, caller, form }) => remove(request, caller, form), { see: EDITORS })
  .post("/_bulk", ({ request, caller, form }) => removeChosen(request, caller, form), {
    see: EDITORS,
  });

async function remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const id = keyNamed(field(form, "id"));
  const { name } = rowOf(await hosts.find(caller, id));
  // Refuses before the user types the name.
  await hosts.remove(asDryRun(caller), id);
  const impact = await impactOfHosts([id]);
  const confirmation = confirmDelete(request, form, {
    called: `host ${name}`,
    name,
    impact,
    kept: [["id", String(id)]],
    addresses: impact.interfaces,
    back: hostPath(name),
    crumbs: [
      { label: "Network" },
      { label: "Hosts", href: PATH },
      { label: name, href: hostPath(name) },
    ],
  });
  if (confirmation) return confirmation;
  await hosts.remove(caller, id);
  return redirect(request, PATH, withUndo(request, deleted(name)));
}

async function removeChosen(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const chosen = await bulk.selectedHosts(
    caller,
    await bulk.selectedKeys(caller, selectionIn(form, "hosts")),
  );
  const own = chosen.filter(({ mayDelete }) => mayDelete);
  if (own.length === 0) throw forbidden("Only their creators and admins may delete these hosts");
  const others = chosen.filter(({ mayDelete }) => !mayDelete).map(({ name }) => name);
  const keys = own.map(({ id }) => id);
  const impact = await impactOfHosts(keys);
  const many = countOf(keys.length, "host");
  const filter = new URLSearchParams(field(form, "filter"));
  const back = withParams(PATH, filter, {});
  const confirmation = confirmDelete(request, form, {
    called: `${many}: ${listOf(own.map(({ name }) => name))}`,
    name: many,
    impact,
    kept: [["filter", filter.toString()], ...idsOf(keys)],
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
