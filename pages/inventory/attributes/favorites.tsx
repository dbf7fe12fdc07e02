// GET /inventory/attributes/favorites: the favourites of the caller, to print; the star beside a name in a list.
import { Elysia } from "elysia";
import { invalid } from "../../../src/input/errors.ts";
import { keyIn } from "../../../src/input/keys.ts";
import { TRUE_OR_FALSE } from "../../../src/input/shape.ts";
import { kindNamed } from "../../../src/inventory/attributes/attribute.ts";
import * as attributes from "../../../src/inventory/attributes/attributes.ts";
import * as favorites from "../../../src/inventory/attributes/favorites.ts";
import { rowOf } from "../../../src/store/records.ts";
import { fragment, isHtmx, page, redirect } from "../../layout/page.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Qr } from "../../parts/qr.tsx";
import { field, safePath } from "../../request/form_values.ts";
import { useFrame, useHx } from "../../request/frame.ts";
import { guard } from "../../request/guard.ts";
import { attributePath } from "./panel.tsx";

export const favoritePages = new Elysia({ prefix: "/inventory", normalize: false })
  .use(guard)
  .get(
    "/attributes/favorites",
    async ({ request, caller }) => {
      const mine = await favorites.list(caller);
      return page(request, {
        title: "Favourites",
        crumbs: [{ label: "Inventory" }, { label: "Favourites" }],
        body: <Sheet favorites={mine} />,
      });
    },
    { see: "everyone" },
  )
  .get(
    "/_retrieve_attributes_favorites",
    async ({ request, caller }) => {
      const mine = await favorites.list(caller);
      return isHtmx(request)
        ? fragment(request, <Labels favorites={mine} />)
        : Response.json({ data: mine });
    },
    { see: "everyone" },
  )
  .post(
    "/_update_favorites/:kind",
    async ({ request, caller, params, form }) => {
      const of = kindNamed(params.kind);
      const id = idOf(field(form, "id"));
      const isOn = await favorites.set(caller, { of, id }, stateIn(form));
      const { name } = rowOf(await attributes.find(caller, of, id));
      if (isHtmx(request))
        return fragment(request, <Star kind={of.name} id={id} name={name} isOn={isOn} />);
      if (form.has("next")) return redirect(request, safePath(field(form, "next")));
      return Response.json({ data: { kind: of.name, id, favorite: isOn } });
    },
    { see: "everyone" },
  );

function Sheet({ favorites: mine }: { favorites: favorites.Favorite[] }) {
  return (
    <>
      <header class="head">
        <div>
          <h1>Favourites</h1>
          <p class="lead">Codes that you scan often, to print for the scan desk</p>
        </div>
        {mine.length > 0 && (
          <div class="actions js-only">
            <button type="button" class="primary" data-print>
              <Icon name="printer" /> Print
            </button>
          </div>
        )}
      </header>
      {mine.length > 0 ? <Labels favorites={mine} /> : <Empty />}
    </>
  );
}

function Labels({ favorites: mine }: { favorites: favorites.Favorite[] }) {
  return (
    <div class="labels" id="favorites">
      {mine.map(({ kind, id, name }) => (
        <figure class="label">
          <Qr text={`CSE:${kind}:${name}`} />
          <figcaption>
            <b>
              <a href={attributePath(kindNamed(kind), name)}>{name}</a>
            </b>
            <small>{kind}</small>
          </figcaption>
          <Star kind={kind} id={id} name={name} isOn={true} />
        </figure>
      ))}
    </div>
  );
}

function Empty() {
  return (
    <div class="empty">
      <EmptyPicture icon="star" />
      <p>No favourites yet</p>
      <p class="muted">
        Click the star of a location, status or action in its list to add it here.
      </p>
      <a class="button" href="/inventory/attributes/location">
        Go to locations
      </a>
    </div>
  );
}

function idOf(text: string): number {
  const id = keyIn(text);
  if (id === undefined) throw invalid("id", "Name the attribute by its primary key");
  return id;
}

function stateIn(form: FormData): boolean | undefined {
  const text = field(form, "checked");
  if (text === "") return undefined;
  if (!/^(true|false)$/i.test(text)) throw invalid("checked", String(TRUE_OR_FALSE.description));
  return text.toLowerCase() === "true";
}

interface StarProps {
  kind: string;
  id: number;
  name: string;
  isOn: boolean;
}

/** Turns a favourite on and off; the button that comes back replaces this one. */
export function Star({ kind, id, name, isOn }: StarProps) {
  const hx = useHx();
  const { here } = useFrame();
  const action = `/inventory/_update_favorites/${kind}`;
  return (
    <form
      class="star"
      method="post"
      action={action}
      {...hx({ post: action, swap: "outerHTML", target: "this" })}
    >
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="checked" value={String(!isOn)} />
      <input type="hidden" name="next" value={here} />
      <button
        type="submit"
        class="quiet star"
        id={`star-${kind}-${id}`}
        aria-pressed={isOn}
        aria-label={`Favourite ${name}`}
      >
        <Icon name={isOn ? "star-filled" : "star"} />
      </button>
    </form>
  );
}
