// Saved searches: the links above a list, the form that saves one, and their routes.
import { Elysia } from "elysia";
import { invalid } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readForm } from "../../src/input/shape.ts";
import * as searches from "../../src/user/searches.ts";
import { redirect } from "../layout/page.tsx";
import { Icon } from "../parts/icon.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";

/** The lists that have saved searches, by their paths. */
const LISTS = ["/network/hosts"];

export const searchPages = new Elysia({ prefix: "/searches", normalize: false })
  .use(guard)
  .post(
    "",
    async ({ request, caller, form }) => {
      const search = readForm(searches.newSearch, form);
      if (!LISTS.includes(search.list)) throw invalid("list", `Use one of ${LISTS.join(", ")}`);
      const query = new URLSearchParams(search.query).toString();
      await searches.save(caller, { ...search, query });
      return redirect(request, `${search.list}?${query}`, `Saved search ${search.name}`);
    },
    { see: "everyone" },
  )
  .post(
    "/delete",
    async ({ request, caller, form }) => {
      const list = await searches.remove(caller, keyNamed(field(form, "id")));
      return redirect(request, list, "Search deleted");
    },
    { see: "everyone" },
  );

interface Props {
  list: string;
  saved: searches.SavedSearch[];
}

export function SavedSearches({ list, saved }: Props) {
  if (saved.length === 0) return null;
  return (
    <ul class="chips saved" aria-label="My searches">
      {saved.map(({ id, name, query }) => (
        <li>
          <a href={`${list}?${query}`}>{name}</a>
          <form method="post" action="/searches/delete">
            <button type="submit" class="quiet square" name="id" value={id} title="Delete">
              <Icon name="x" /> <span class="hidden">Delete the search {name}</span>
            </button>
          </form>
        </li>
      ))}
    </ul>
  );
}

/** Saves the list as it is shown: its query, filters, order and columns. */
export function SaveSearch({ list, params }: { list: string; params: URLSearchParams }) {
  const kept = new URLSearchParams(params);
  kept.delete("page");
  if (kept.size === 0) return null;
  return (
    <details class="chooser">
      <summary>
        <Icon name="star" /> Save search
      </summary>
      <form method="post" action="/searches">
        <input type="hidden" name="list" value={list} />
        <input type="hidden" name="query" value={kept.toString()} />
        <label for="field-search-name">Name of the search</label>
        <input
          type="text"
          id="field-search-name"
          name="name"
          required
          maxLength={60}
          autocomplete="off"
        />
        <button type="submit" class="primary">
          Save
        </button>
      </form>
    </details>
  );
}
