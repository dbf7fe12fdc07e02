// Searches that people keep: above their list, the form that keeps one, and what these forms post to.
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
      return redirect(request, `${search.list}?${query}`, `${search.name} is kept`);
    },
    { see: "everyone" },
  )
  .post(
    "/delete",
    async ({ request, caller, form }) => {
      const list = await searches.remove(caller, keyNamed(field(form, "id")));
      return redirect(request, list, "The search is forgotten");
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
            <button type="submit" class="quiet square" name="id" value={id} title="Forget">
              <Icon name="x" /> <span class="hidden">Forget the search {name}</span>
            </button>
          </form>
        </li>
      ))}
    </ul>
  );
}

/** Saves the list as it is shown: its query, filters, order and columns. */
export function KeepSearch({ list, params }: { list: string; params: URLSearchParams }) {
  const kept = new URLSearchParams(params);
  kept.delete("page");
  if (kept.size === 0) return null;
  return (
    <details class="chooser">
      <summary>
        <Icon name="star" /> Keep
      </summary>
      <form method="post" action="/searches">
        <input type="hidden" name="list" value={list} />
        <input type="hidden" name="query" value={kept.toString()} />
        <label for="field-search-name">Keep this search as</label>
        <input
          type="text"
          id="field-search-name"
          name="name"
          required
          maxLength={60}
          autocomplete="off"
        />
        <button type="submit" class="primary">
          Keep
        </button>
      </form>
    </details>
  );
}
