// Saved views and chosen columns of lists: the bar above the list, the form that saves a view, and their routes.
import { Elysia } from "elysia";
import { isAdmin } from "../../src/auth/auth.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readFormInput } from "../../src/input/shape.ts";
import * as searches from "../../src/user/searches.ts";
import { redirect } from "../layout/page.tsx";
import { Icon } from "../parts/icon.tsx";
import { field } from "../request/form_values.ts";
import { useFrame } from "../request/frame.ts";
import { guard } from "../request/guard.ts";
import { requireList } from "./sources.ts";

export const viewPages = new Elysia({ prefix: "/searches", normalize: false })
  .use(guard)
  .post(
    "",
    async ({ request, caller, form }) => {
      const view = readFormInput(searches.newView, form);
      requireList(caller, view.list);
      const query = new URLSearchParams(view.query).toString();
      await searches.save(caller, { ...view, query });
      return redirect(request, `${view.list}?${query}`, `Saved view ${view.name}`);
    },
    { see: "everyone" },
  )
  .post(
    "/delete",
    async ({ request, caller, form }) => {
      const list = await searches.remove(caller, keyNamed(field(form, "id")));
      return redirect(request, list, "Deleted the view");
    },
    { see: "everyone" },
  )
  .post(
    "/columns",
    async ({ request, caller, form }) => {
      const list = field(form, "list");
      const known = Object.keys((await requireList(caller, list).query(caller)).fields);
      const columns = form.getAll("cols").map(String);
      const chosen = [...new Set(columns)].filter((name) => known.includes(name));
      await searches.chooseColumns(caller, list, chosen);
      const query = new URLSearchParams(field(form, "query")).toString();
      return redirect(request, query ? `${list}?${query}` : list);
    },
    { see: "everyone" },
  );

/** The views of the list whose page is shown. */
export function Views({ path }: { path: string }) {
  const { list, caller } = useFrame();
  if (!list || list.views.length === 0) return null;
  const mayDelete = ({ owner }: searches.SavedView) => !owner || (caller && isAdmin(caller));
  return (
    <ul class="chips saved" aria-label="Saved views">
      {list.views.map((view) => (
        <li>
          <a
            href={`${path}?${view.query}`}
            title={view.owner ? `Shared by ${view.owner}` : undefined}
          >
            {view.name}
          </a>
          {view.shared && <Icon name="users-group" />}
          {mayDelete(view) && (
            <form method="post" action="/searches/delete">
              <button type="submit" class="quiet square" name="id" value={view.id} title="Delete">
                <Icon name="x" /> <span class="hidden">Delete the view {view.name}</span>
              </button>
            </form>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Saves the list as it is shown: its query, filters, order and columns. */
export function SaveView({ path, params }: { path: string; params: URLSearchParams }) {
  const kept = new URLSearchParams(params);
  for (const name of ["page", "selected"]) kept.delete(name);
  if (kept.size === 0) return null;
  return (
    <details class="chooser">
      <summary>
        <Icon name="star" /> Save view
      </summary>
      <form method="post" action="/searches">
        <input type="hidden" name="list" value={path} />
        <input type="hidden" name="query" value={kept.toString()} />
        <label for="field-view-name">Name of the view</label>
        <input
          type="text"
          id="field-view-name"
          name="name"
          required
          maxLength={60}
          autocomplete="off"
        />
        <label>
          <input type="checkbox" name="shared" value="true" /> Share with everybody
        </label>
        <button type="submit" class="primary">
          Save
        </button>
      </form>
    </details>
  );
}
