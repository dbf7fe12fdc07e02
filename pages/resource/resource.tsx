// The pages of a resource that has no rules of its own: GET its list, GET …/view/(name), GET and POST …/create and
// …/edit/(name), POST …/delete.

import { Elysia } from "elysia";
import { type Caller, may } from "../../src/auth/auth.ts";
import { timelineOf } from "../../src/history/history.ts";
import { notFound, type Refusal } from "../../src/input/errors.ts";
import { textError } from "../../src/input/text.ts";
import { standardArea } from "../../src/resources.ts";
import { positionIn } from "../../src/store/crud.ts";
import { type RecordJson, rowOf, rowsOf } from "../../src/store/records.ts";
import type { Resource } from "../../src/store/resource.ts";
import { defaultTexts, textsIn } from "../../src/store/versions.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import type { Crumb } from "../layout/layout.tsx";
import { page, redirect, withUndo } from "../layout/page.tsx";
import { attemptForm } from "../parts/collect_errors.ts";
import { type EditedRecord, type RefusedEdit, save } from "../parts/edit_flow.ts";
import { attempt, blank, type Filled, refused } from "../parts/forms.tsx";
import { listOf, placeIn } from "../records/in_list.tsx";
import { liveRecord } from "../records/live.tsx";
import { Meanwhile } from "../records/meanwhile.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { readTyped } from "../request/typed_search.ts";
import { added, deleted, inTitle, onlyUnused, saved } from "../texts.ts";
import { referringTo } from "./contents.tsx";
import { ResourceForm } from "./form.tsx";
import { ResourceList, ResourceListPage, type ResourceListProps } from "./list.tsx";
import type { StandardRow } from "./row.ts";
import { RecordPage } from "./view.tsx";

type StandardArea = ReturnType<typeof standardArea>;
export function resourcePages(resource: Resource) {
  const area = standardArea(resource);
  const { path, editors, removers = editors } = resource;
  const pages = new ResourcePages(resource, area);
  const routes = new Elysia({ prefix: path, normalize: false })
    .use(guard)
    .get("", ({ request, caller, search }) => pages.list(request, caller, search), {
      see: "everyone",
    })
    .get("/view/:name", ({ request, caller, params }) => pages.view(request, caller, params.name), {
      see: "everyone",
    })
    .get(
      "/create",
      ({ request }) => pages.form(request, { filled: blank(area.created, defaultTexts(resource)) }),
      {
        see: editors,
      },
    )
    .post("/create", ({ request, caller, form }) => pages.create(request, caller, form), {
      see: editors,
    })
    .post("/delete", ({ request, caller, form }) => pages.remove(request, caller, form), {
      see: removers,
    });
  const { changed } = area;
  if (!changed) return routes;
  return routes
    .get(
      "/edit/:name",
      async ({ request, caller, params }) => {
        const edited = await pages.readEdited(caller, params.name);
        return pages.form(request, { edited, filled: blank(changed, edited.values) });
      },
      { see: editors },
    )
    .post(
      "/edit/:name",
      ({ request, caller, params, form }) => pages.update(request, caller, params.name, form),
      { see: editors },
    );
}

interface EditedRow extends EditedRecord {
  id: number;
  name: string;
}

interface FormState {
  filled: Filled;
  edited?: EditedRow;
  status?: number;
  conflict?: RefusedEdit["conflict"];
}

class ResourcePages {
  constructor(
    readonly resource: Resource,
    readonly area: StandardArea,
  ) {}

  async list(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
    const { resource } = this;
    const listParams = readTyped(params);
    listParams.delete("cols");
    const listed = await this.area.list(caller, listParams);
    const shown: ResourceListProps = {
      resource,
      params,
      listed,
      rows: rowsOf(listed) as StandardRow[],
      mayEdit: may(caller, resource.editors),
      mayDelete: may(caller, resource.removers ?? resource.editors),
    };
    return page(request, {
      title: inTitle(resource.plural),
      crumbs: this.crumbs(resource.path),
      body: <ResourceListPage {...shown} />,
      fragment: <ResourceList {...shown} />,
    });
  }

  async view(request: Request, caller: Caller, name: string, refusal?: Refusal): Promise<Response> {
    const { resource } = this;
    const row = rowOf(await this.named(caller, name)) as StandardRow;
    const [timeline, referring] = await Promise.all([
      timelineOf(caller, { table: resource.name, id: row.id }),
      referringTo(caller, resource, row.id),
    ]);
    const called = this.nameOf(row);
    const place = await placeIn(request.url, (list) =>
      positionIn(resource, caller, row.id, readTyped(list)),
    );
    return page(request, {
      title: called,
      status: refusal?.status,
      live: liveRecord(resource, row.id),
      crumbs: this.crumbs(request.url, { label: called }),
      body: (
        <RecordPage
          resource={resource}
          row={row}
          name={called}
          timeline={timeline}
          referring={referring}
          place={place}
          refusal={refusal}
          mayEdit={this.area.changed !== undefined && may(caller, resource.editors)}
          deletion={
            may(caller, resource.removers ?? resource.editors)
              ? { field: ["name", called], detail: onlyUnused(resource.noun) }
              : null
          }
        />
      ),
    });
  }

  form(request: Request, { filled, edited, status, conflict }: FormState): Response {
    const { resource } = this;
    const { path, noun } = resource;
    const title = edited ? `Edit ${edited.name}` : `Add ${noun}`;
    const back = edited ? this.pathOf(edited.name) : path;
    return page(request, {
      title,
      status,
      crumbs: this.crumbs(path, ...(edited ? [{ label: edited.name, href: back }] : []), {
        label: edited ? "Edit" : "Add",
      }),
      body: (
        <>
          <header class="head">
            <h1>{title}</h1>
          </header>
          {edited && <Meanwhile of={resource} {...edited} />}
          <ResourceForm
            action={edited ? `${path}/edit/${encodeURIComponent(edited.name)}` : `${path}/create`}
            noun={noun}
            filled={filled}
            version={edited?.version}
            conflict={conflict}
            back={back}
          />
        </>
      ),
    });
  }

  async create(request: Request, caller: Caller, form: FormData): Promise<Response> {
    const { created } = this.area;
    const tried = await attemptForm(caller, form, {
      shape: created,
      work: (as, input) => this.area.create(as, input),
    });
    if ("refusal" in tried) {
      const { refusal } = tried;
      const filled = refused(created, form, refusal);
      return this.form(request, { filled, status: refusal.status });
    }
    const name = this.nameOf(rowOf(tried.done) as StandardRow);
    const to = form.has("again") ? `${this.resource.path}/create` : this.pathOf(name);
    return redirect(request, to, withUndo(request, added(name)));
  }

  async readEdited(caller: Caller, called: string): Promise<EditedRow> {
    const found = await this.named(caller, called);
    const row = rowOf(found) as StandardRow;
    const { id, user, updated_at } = row;
    const values = textsIn(row, this.changedNames());
    return { id, name: this.nameOf(row), version: found.version, values, user, updated_at };
  }

  async update(
    request: Request,
    caller: Caller,
    called: string,
    form: FormData,
  ): Promise<Response> {
    const { changed } = this.area;
    if (!changed) throw notFound();
    const edited = await this.readEdited(caller, called);
    const tried = await save(caller, {
      form,
      edited,
      resource: this.resource,
      shape: changed,
      work: (as, input) => this.area.update(as, edited.id, input),
    });
    if ("refused" in tried) {
      const { version, ...again } = tried.refused;
      return this.form(request, { edited: { ...edited, version }, ...again });
    }
    const name = this.nameOf(rowOf(tried.done) as StandardRow);
    return redirect(request, this.pathOf(name), withUndo(request, saved(name)));
  }

  async remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
    const row = rowOf(await this.named(caller, field(form, "name"))) as StandardRow;
    const name = this.nameOf(row);
    const confirmation = confirmFirst(request, form, {
      title: `Delete ${name}?`,
      detail: onlyUnused(this.resource.noun),
      verb: "Delete",
      back: this.pathOf(name),
    });
    if (confirmation) return confirmation;
    const tried = await attempt(() => this.area.remove(caller, row.id));
    if ("refusal" in tried) return this.view(request, caller, name, tried.refusal);
    return redirect(request, this.resource.path, withUndo(request, deleted(name)));
  }

  private async named(caller: Caller, name: string): Promise<RecordJson<unknown>> {
    if (textError(name)) throw notFound();
    const { key } = this.resource;
    const [row] = rowsOf(
      await this.area.list(caller, new URLSearchParams({ [key]: name, per_page: "1" })),
    ) as StandardRow[];
    if (!row) throw notFound();
    return this.area.find(caller, row.id);
  }

  private nameOf(row: StandardRow): string {
    return String(row[this.resource.key]);
  }

  private pathOf(name: string): string {
    return `${this.resource.path}/view/${encodeURIComponent(name)}`;
  }

  private changedNames(): string[] {
    return Object.keys(this.area.changed?.properties ?? {});
  }

  /** The list as it was before the page at this address was opened from it. */
  private crumbs(address: string, ...further: Crumb[]): Crumb[] {
    const { path, plural } = this.resource;
    const [, room = ""] = path.split("/");
    const list = {
      label: inTitle(plural),
      ...(further.length > 0 && { href: listOf(path, address) }),
    };
    return [{ label: inTitle(room) }, list, ...further];
  }
}
