// The pages of a resource: GET its list, GET …/view/(name), GET and POST …/create and …/edit/(name), POST …/delete. They
// come from the description of the resource; its hooks say what it does in its own way.
import { Elysia } from "elysia";
import { type Caller, may } from "../../src/auth/auth.ts";
import { currentName } from "../../src/history/former_names.ts";
import { timelineOf } from "../../src/history/history.ts";
import { changePath } from "../../src/history/words.ts";
import { invalid, notFound, Refusal } from "../../src/input/errors.ts";
import { textError } from "../../src/input/text.ts";
import { deletedOf } from "../../src/omnibox/answers.ts";
import { positionIn } from "../../src/store/crud.ts";
import { type RecordJson, rowOf } from "../../src/store/records.ts";
import { mayWrite, requireWritable } from "../../src/store/rights/check.ts";
import { defaultTexts } from "../../src/store/versions.ts";
import { errorPage } from "../error.tsx";
import { confirmFirst } from "../layout/confirm.tsx";
import type { Crumb } from "../layout/layout.tsx";
import { isHtmx, page, redirect, withUndo } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { sources } from "../lists/sources.ts";
import { attempt, blank, type Filled, refused, unlessGone } from "../parts/forms.tsx";
import { fieldNames, fieldValue } from "../parts/resource_fields.tsx";
import { listOf, placeIn } from "../records/in_list.tsx";
import { liveRecord } from "../records/live.tsx";
import { Meanwhile } from "../records/meanwhile.tsx";
import { Time } from "../records/time.tsx";
import { readTableRequest } from "../request/data_table.ts";
import { field } from "../request/form_values.ts";
import type { Notice } from "../request/frame.ts";
import { guard } from "../request/guard.ts";
import { withParams } from "../request/url_parameters.ts";
import { added, deleted, inTitle, NO_CHANGES, onlyUnused, reasonsOf, saved } from "../texts.ts";
import { ResourceForm } from "./form.tsx";
import type {
  AskedForm,
  EditedRow,
  FormState,
  NewRecord,
  PageHooks,
  RecordChange,
  RefusedForm,
  Removal,
  ViewState,
} from "./hooks.ts";
import { type ListRecord, type ShownList, showList } from "./list.tsx";
import { type PagedRow, RecordPage } from "./view.tsx";

export class ResourcePages<Row extends PagedRow, ListRow extends ListRecord> {
  readonly path: string;
  readonly viewPath: string;
  readonly title: string;

  constructor(readonly hooks: PageHooks<Row, ListRow>) {
    this.path = hooks.path ?? hooks.resource.path;
    this.viewPath = hooks.viewPath ?? `${this.path}/view`;
    this.title = inTitle(hooks.resource.plural);
  }

  /** Further routes can be added to them. */
  routes() {
    const { resource, list, view, creation, change, removal, readers } = this.hooks;
    const { editors, removers = editors } = resource;
    const { path } = this;
    const { address: key = resource.key } = this.hooks;
    const seen = { see: readers ?? "everyone" } as const;
    const nameIn = (params: Record<string, string>) => params[key] ?? "";
    const routes = new Elysia({ normalize: false }).use(guard);
    if (list) {
      routes.get(path, ({ request, caller, search }) => this.list(request, caller, search), seen);
    }
    if (list?.table) {
      const { table } = list;
      routes.post(
        table.path,
        ({ request, caller, search, form }) => {
          const asked = readTableRequest(form, search, table.columns);
          return isHtmx(request)
            ? this.list(request, caller, asked.params)
            : table.rows(caller, asked);
        },
        seen,
      );
    }
    if (view) {
      routes.get(
        `${this.viewPath}/:${key}`,
        ({ request, caller, params, search }) =>
          this.view(request, caller, nameIn(params), { search }),
        seen,
      );
    }
    if (creation) {
      const address = creation.owner ? `${path}/create/:${creation.owner}` : `${path}/create`;
      const ownerIn = (params: Record<string, string>) =>
        creation.owner === undefined ? "" : (params[creation.owner] ?? "");
      routes
        .get(
          address,
          ({ request, caller, params, search }) =>
            this.start(request, caller, { search, owner: ownerIn(params) }),
          { see: editors },
        )
        .post(
          address,
          ({ request, caller, params, form }) =>
            this.create(request, caller, { form, owner: ownerIn(params) }),
          { see: editors },
        );
    }
    if (change) {
      routes
        .get(
          `${path}/edit/:${key}`,
          ({ request, caller, params }) => this.edit(request, caller, nameIn(params)),
          { see: editors },
        )
        .post(
          `${path}/edit/:${key}`,
          ({ request, caller, params, form }) => this.update(request, caller, nameIn(params), form),
          { see: editors },
        );
    }
    if (removal) {
      routes.post(
        `${path}/delete`,
        ({ request, caller, form }) => this.remove(request, caller, form),
        {
          see: removers,
        },
      );
    }
    return routes;
  }

  pathOf(name: string): string {
    return `${this.viewPath}/${encodeURIComponent(name)}`;
  }

  editPathOf(name: string): string {
    return `${this.path}/edit/${encodeURIComponent(name)}`;
  }

  /** What stands in the address of a record. */
  private addressOf({ name, id }: { name: string; id?: number }): string {
    return this.hooks.address ? String(id) : name;
  }

  nameOf(row: object): string {
    return String(fieldValue(row, this.hooks.resource.key));
  }

  async list(
    request: Request,
    caller: Caller,
    params: URLSearchParams,
    refused?: ShownList<ListRow>["refused"],
  ): Promise<Response> {
    const { resource, list } = this.hooks;
    if (!list) throw notFound();
    const { path, title } = this;
    const place = { resource, path, title, crumbs: this.crumbs(), list };
    return showList(request, caller, place, params, refused);
  }

  /** The list, as it was at this address, then further pages. */
  crumbs(address?: string, ...further: Crumb[]): Crumb[] {
    const [, room = ""] = this.path.split("/");
    const href = address === undefined ? this.path : listOf(this.path, address);
    const list = { label: this.title, ...(further.length > 0 && { href }) };
    return [this.hooks.room ?? { label: inTitle(room) }, list, ...further];
  }

  async view(
    request: Request,
    caller: Caller,
    called: string,
    state: ViewState = {},
  ): Promise<Response> {
    const { resource, change, removal, view } = this.hooks;
    const found = await this.found(request, caller, { called, pathOf: (now) => this.pathOf(now) });
    if (found instanceof Response) return found;
    const row = rowOf(found);
    const name = this.nameOf(row);
    const { search } = new URL(request.url);
    const { hasHistory = true } = this.hooks;
    if (this.hooks.hasOneAddress && request.method === "GET" && name !== called) {
      return redirect(request, this.pathOf(name) + search);
    }
    const { refusal, filled, form = filled, address = request.url, secret } = state;
    const [timeline, mayEdit, position] = await Promise.all([
      hasHistory ? timelineOf(caller, { table: resource.name, id: row.id }) : undefined,
      this.mayEdit(caller, row.id),
      placeIn(address, (list) => this.position(caller, row.id, list)),
    ]);
    const mayRemove = removal !== undefined && may(caller, resource.removers ?? resource.editors);
    const { version } = found;
    const shown = { ...state, request, caller, row, version, timeline, mayEdit, mayRemove };
    const parts = (await view?.(shown)) ?? {};
    if (parts instanceof Response) return parts;
    const ownEditPath = change && this.editPathOf(this.addressOf({ name, id: row.id }));
    return page(request, {
      title: name,
      status: refusal?.status ?? parts.status,
      ...(refusal?.headers && { headers: refusal.headers }),
      isSecret: secret !== undefined,
      ...(hasHistory && { live: liveRecord(resource, row.id, parts.live) }),
      crumbs: this.crumbs(address, ...(parts.above ?? []), { label: name }),
      body: (
        <RecordPage
          {...parts}
          resource={resource}
          row={row}
          name={name}
          timeline={timeline}
          place={position}
          pathOf={(one) => this.pathOf(one)}
          refusal={form ? undefined : refusal}
          editPath={(parts.mayEdit ?? mayEdit) ? (parts.editPath ?? ownEditPath) : undefined}
          deletion={
            mayRemove
              ? {
                  action: `${this.path}/delete`,
                  field: removal.by ? ["id", String(row.id)] : [resource.key, name],
                  detail: this.detailOf(removal, row),
                }
              : undefined
          }
        />
      ),
      fragment: parts.fragment,
    });
  }

  private async mayEdit(caller: Caller, id: number): Promise<boolean> {
    const { resource } = this.hooks;
    return may(caller, resource.editors) && mayWrite(caller, resource.name, id);
  }

  private async position(caller: Caller, id: number, list: URLSearchParams) {
    const { resource, position } = this.hooks;
    if (position) return position(caller, id, list);
    const source = sources.get(this.path);
    return source && positionIn(resource, await source.query(caller), id, source.read(list));
  }

  /** The record of this name, or a redirect to the record that had this name before, if it is visible to the caller. */
  private async found(
    request: Request,
    caller: Caller,
    { called, pathOf }: { called: string; pathOf: (name: string) => string },
  ): Promise<RecordJson<Row> | Response> {
    const { resource, find } = this.hooks;
    if (textError(called)) throw notFound();
    try {
      return await find(caller, called);
    } catch (error) {
      const isMissing = error instanceof Refusal && error.status === 404;
      if (!isMissing || this.hooks.hasHistory === false) throw error;
      const now = (await currentName(resource.name, called)) ?? called;
      const renamed = now === called ? undefined : await find(caller, now).catch(unlessGone);
      if (!renamed) return this.missing(request, caller, called, error);
      // A form that was opened under the former name is processed, so that no input is lost.
      if (request.method === "POST") return renamed;
      return redirect(request, pathOf(now) + new URL(request.url).search);
    }
  }

  /** The refusal; of a record whose deletion the caller sees, who deleted it. */
  private async missing(request: Request, caller: Caller, called: string, refusal: Refusal) {
    const [deletion] = await deletedOf(caller, called, this.hooks.resource.name);
    if (!deletion) throw refusal;
    const { label, at, to } = deletion;
    return errorPage(
      request,
      refusal,
      <p>
        {label}, <Time at={at} />. <a href={changePath(to.change)}>Show the change</a>
      </p>,
    );
  }

  /** The address can fill in fields. */
  private async start(
    request: Request,
    caller: Caller,
    { search, owner }: { search: URLSearchParams; owner: string },
  ): Promise<Response> {
    const { resource, creation } = this.hooks;
    if (!creation) throw notFound();
    const given = { ...defaultTexts(resource), ...Object.fromEntries(search) };
    const values = creation.start?.(owner) ?? given;
    const filled = blank(creation.shape, values);
    return this.answerOr(request, caller, {}, () => this.form(request, caller, { filled, owner }));
  }

  private async create(request: Request, caller: Caller, sent: NewRecord): Promise<Response> {
    const { creation, after } = this.hooks;
    if (!creation) throw notFound();
    const { shape, complete, keeps = [] } = creation;
    const { owner } = sent;
    return this.answerOr(request, caller, { form: sent.form, owner }, async () => {
      const form = complete ? await complete(sent.form) : sent.form;
      const tried = await creation.attempt(caller, { form, owner });
      if ("refusal" in tried) {
        const { refusal } = tried;
        const filled = await this.refused(caller, { shape, form, refusal });
        return this.form(request, caller, { filled, owner, sent: form, status: refusal.status });
      }
      const { name, secret } = tried.done;
      const called = this.addressOf(tried.done);
      if (secret) return this.view(request, caller, called, { secret });
      const kept = keeps.flatMap((one) => form.getAll(one).map((value) => [one, String(value)]));
      const query = new URLSearchParams(kept.filter(([, value]) => value !== ""));
      const next = form.has("again")
        ? withParams(this.createPathOf(owner), query, {})
        : (after?.({ name, owner }) ?? this.pathOf(called));
      return redirect(request, next, this.done(request, added(name)));
    });
  }

  private createPathOf(owner: string): string {
    return `${this.path}/create${owner && `/${encodeURIComponent(owner)}`}`;
  }

  private async edit(request: Request, caller: Caller, called: string): Promise<Response> {
    const edited = await this.readEdited(request, caller, called);
    if (edited instanceof Response) return edited;
    const filled = blank(this.changed().shape, edited.values);
    return this.answerOr(request, caller, { edited }, () =>
      this.form(request, caller, { edited, filled }),
    );
  }

  private changed(): RecordChange<Row> {
    if (!this.hooks.change) throw notFound();
    return this.hooks.change;
  }

  private async update(
    request: Request,
    caller: Caller,
    called: string,
    form: FormData,
  ): Promise<Response> {
    const { resource, after } = this.hooks;
    const { shape, save: saveForm } = this.changed();
    const edited = await this.readEdited(request, caller, called);
    if (edited instanceof Response) return edited;
    return this.answerOr(request, caller, { edited, form }, async () => {
      const tried = await saveForm(caller, { form, edited, resource });
      if ("refused" in tried) {
        const { version, refusal, filled: merged, ...again } = tried.refused;
        const filled =
          again.status === 412 ? merged : await this.refused(caller, { shape, form, refusal });
        const now = { ...edited, version };
        return this.form(request, caller, { ...again, filled, edited: now, sent: form });
      }
      const { name, changed } = tried.done;
      const called = this.addressOf({ name, id: edited.id });
      const next = after?.({ name, owner: "", row: edited.row }) ?? this.pathOf(called);
      if (changed?.length === 0) return redirect(request, next, NO_CHANGES);
      const names = changed && fieldNames(resource, changed);
      return redirect(request, next, this.done(request, saved(name, names)));
    });
  }

  private async readEdited(
    request: Request,
    caller: Caller,
    called: string,
  ): Promise<EditedRow<Row> | Response> {
    const { resource } = this.hooks;
    const pathOf = (name: string) => this.editPathOf(name);
    const found = await this.found(request, caller, { called, pathOf });
    if (found instanceof Response) return found;
    const row = rowOf(found);
    const { id, user, updated_at } = row;
    await requireWritable(caller, resource.name, id);
    const { require, values: valuesOf } = this.changed();
    require?.(row);
    const values = valuesOf(row);
    return { id, row, name: this.nameOf(row), version: found.version, values, user, updated_at };
  }

  private async refused(caller: Caller, sent: RefusedForm): Promise<Filled> {
    const { shape, form, refusal } = sent;
    return this.hooks.refused?.(caller, sent) ?? refused(shape, form, refusal);
  }

  /** What the form asks before it is saved, or the usual answer. */
  private async answerOr(
    request: Request,
    caller: Caller,
    asked: Omit<AskedForm<Row>, "request" | "caller"> & { owner?: string },
    usual: () => Promise<Response>,
  ): Promise<Response> {
    const own = await this.hooks.answer?.({ request, caller, ...asked });
    if (!own) return usual();
    return own instanceof Response ? own : this.form(request, caller, own);
  }

  private async form(request: Request, caller: Caller, state: FormState<Row>): Promise<Response> {
    const { resource } = this.hooks;
    const { edited, owner = "", status } = state;
    const called = edited && this.addressOf(edited);
    const action = called ? this.editPathOf(called) : this.createPathOf(owner);
    const given = { ...state, request, caller, action, owner };
    const parts = (await this.hooks.form?.(given)) ?? {};
    const title = parts.title ?? (edited ? `Edit ${edited.name}` : `Add ${resource.noun}`);
    const back = called ? this.pathOf(called) : this.path;
    const own = edited ? [{ label: edited.name, href: back }] : [];
    const drawn = (
      <ResourceForm
        filled={state.filled}
        back={back}
        {...parts}
        action={action}
        noun={resource.noun}
        version={edited?.version}
        conflict={state.conflict}
        isStale={status === 412 && !state.conflict}
      />
    );
    return page(request, {
      title,
      status,
      crumbs: parts.crumbs ?? this.crumbs(undefined, ...own, { label: edited ? "Edit" : "Add" }),
      body: (
        <>
          <PageHead title={title} lead={parts.lead} />
          {edited && (this.hooks.hasHistory ?? true) && <Meanwhile of={resource} {...edited} />}
          {drawn}
        </>
      ),
      fragment: drawn,
    });
  }

  private async remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
    const { resource, find, removal } = this.hooks;
    if (!removal) throw notFound();
    const { by, work, confirm, said, after, isInList } = removal;
    const { searchParams } = new URL(request.url);
    const row = rowOf(
      by
        ? await by.find(caller, field(form, by.field))
        : await find(caller, field(form, resource.key)),
    );
    const name = this.nameOf(row);
    const listPath = withParams(this.path, searchParams, {});
    const back = isInList ? listPath : this.pathOf(name);
    const crumbs = this.crumbs(undefined, { label: name, href: back });
    const question = {
      title: `Delete ${name}?`,
      detail: this.detailOf(removal, row),
      verb: "Delete",
      back,
    };
    const confirmation = confirm
      ? await confirm(request, caller, { row, form, crumbs })
      : confirmFirst(request, form, question);
    if (confirmation) return confirmation;
    const tried = await attempt(() => work(caller, row.id));
    if ("refusal" in tried) {
      const { refusal } = tried;
      if (!isInList) return this.view(request, caller, name, { refusal });
      const refused = { id: row.id, message: reasonsOf(refusal.errors) };
      return this.list(request, caller, searchParams, refused);
    }
    const next = after?.(row) ?? listPath;
    return redirect(request, next, this.done(request, said?.(row) ?? deleted(name)));
  }

  /** What was done, with its undo. */
  private done(request: Request, text: string): Notice {
    return this.hooks.hasHistory === false ? { text } : withUndo(request, text);
  }

  /** Does what the button of this record stands for. */
  async act(request: Request, caller: Caller, called: string, form: FormData): Promise<Response> {
    const { resource, find, actions } = this.hooks;
    const row = rowOf(await find(caller, called));
    const chosen = actions?.(row).find(({ name }) => name === field(form, "action"));
    if (!chosen) throw invalid("action", `This cannot be done with this ${resource.noun} now`);
    const back = this.pathOf(called);
    const { question, work } = chosen;
    const confirmation = question && confirmFirst(request, form, { ...question, back });
    if (confirmation) return confirmation;
    const tried = await attempt(() => work(caller, row.id));
    if ("refusal" in tried) {
      const { refusal } = tried;
      return this.view(request, caller, called, { refusal });
    }
    const { secret, to = back, said } = tried.done;
    if (secret) return this.view(request, caller, called, { secret });
    return redirect(request, to, said);
  }

  private detailOf({ detail }: Removal<Row>, row: Row): string {
    return detail?.(row) ?? onlyUnused(this.hooks.resource.noun);
  }
}
