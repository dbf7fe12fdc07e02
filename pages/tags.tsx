// GET /tags: all tags, with how many records have each. POST /tags/rename: a new name for one, for admins.
import { Elysia } from "elysia";
import { type Caller, isAdmin } from "../src/auth/auth.ts";
import { closed, readFormInput } from "../src/input/shape.ts";
import { capitalized } from "../src/input/text.ts";
import { TAG } from "../src/store/fields.ts";
import { listTags, MOST_SHOWN_TAGS, renameTag, tagged, type UsedTag } from "../src/tags.ts";
import { page, redirect } from "./layout/page.tsx";
import { colourOfName, Pill } from "./lists/pill.tsx";
import { listPageOf } from "./lists/sources.ts";
import { attempt, blank, Field, type Filled, refused, Summary } from "./parts/forms.tsx";
import { PlainTable } from "./parts/plain_table.tsx";
import { guard } from "./request/guard.ts";

const PATH = "/tags";
const SHAPE = closed({
  tag: { ...TAG, title: "Tag" },
  to: { ...TAG, title: "New name" },
});

export const tagPages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .get("", ({ request, caller }) => show(request, caller), { see: "everyone" })
  .post(
    "/rename",
    async ({ request, caller, form }) => {
      const done = await attempt(async () => {
        const { tag, to } = readFormInput(SHAPE, form);
        return { to, ...(await renameTag(caller, tag.toLowerCase(), to)) };
      });
      if ("refusal" in done) return show(request, caller, refused(SHAPE, form, done.refusal));
      const { to, records, change_set: undo } = done.done;
      const text = `${records} ${records === 1 ? "record has" : "records have"} "${to.toLowerCase()}" now`;
      return redirect(request, PATH, { text, undo });
    },
    { see: ["admin"] },
  );

async function show(
  request: Request,
  caller: Caller,
  filled: Filled = blank(SHAPE),
): Promise<Response> {
  const tags = await listTags(caller);
  return page(request, {
    title: "Tags",
    status: filled.errors.length > 0 ? 422 : 200,
    crumbs: [{ label: "Tags" }],
    body: (
      <>
        <header class="head">
          <div>
            <h1>Tags</h1>
            <p class="lead">Short texts on records of every kind, to find what belongs together</p>
          </div>
        </header>
        <div class="stack">
          {tags.length === 0 ? (
            <p class="muted">
              No tags yet: write them into the form of an item, a host or a network.
            </p>
          ) : (
            <TagTable tags={tags} />
          )}
          {tags.length === MOST_SHOWN_TAGS && (
            <p class="muted">Only the first {MOST_SHOWN_TAGS} are shown.</p>
          )}
          {isAdmin(caller) && tags.length > 0 && <Rename filled={filled} tags={tags} />}
        </div>
      </>
    ),
  });
}

function TagTable({ tags }: { tags: UsedTag[] }) {
  const columns = tagged.map(({ path, plural }) => ({
    label: capitalized(plural),
    class: "number",
    cell: ({ tag, counts }: UsedTag) =>
      counts[path] && (
        <a href={`${listPageOf({ path })}?tags=${encodeURIComponent(tag)}`}>
          {counts[path].toLocaleString("en")}
        </a>
      ),
  }));
  const name = {
    label: "Tag",
    cell: ({ tag }: UsedTag) => <Pill colour={colourOfName(tag) ?? "grey"}>{tag}</Pill>,
  };
  return <PlainTable caption="Tags" rows={tags} columns={[name, ...columns]} />;
}

function Rename({ filled, tags }: { filled: Filled; tags: UsedTag[] }) {
  return (
    <form class="sheet" method="post" action={`${PATH}/rename`}>
      <h2>Rename a tag</h2>
      <Summary filled={filled} />
      <Field filled={filled} name="tag" more={{ list: "all-tags" }} />
      <Field
        filled={filled}
        name="to"
        hint="The name of another tag merges the two. You can undo this in one step."
        more={{ list: "all-tags" }}
      />
      <datalist id="all-tags">
        {tags.map(({ tag }) => (
          <option value={tag} />
        ))}
      </datalist>
      <div class="buttons">
        <button type="submit" class="primary">
          Rename
        </button>
      </div>
    </form>
  );
}
