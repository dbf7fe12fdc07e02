// What a resource does in its own way on its pages.
import type { Static, TObject } from "@sinclair/typebox";
import type { VNode } from "preact";
import type { Caller, Permission } from "../../src/auth/auth.ts";
import type { Timeline } from "../../src/history/history.ts";
import type { Refusal } from "../../src/input/errors.ts";
import type { ListPosition, RecordJson } from "../../src/store/records.ts";
import type { Resource } from "../../src/store/resource.ts";
import { textsIn } from "../../src/store/versions.ts";
import type { ActionButton } from "../layout/confirm.tsx";
import type { Crumb } from "../layout/layout.tsx";
import type { EditConflict } from "../parts/conflict.tsx";
import type { attempt, Filled, FormValues } from "../parts/forms.tsx";
import type { Notice } from "../request/frame.ts";
import type { FormParts } from "./form.tsx";
import type { ListHooks, ListRecord } from "./list.tsx";
import {
  attemptForm,
  type EditedRecord,
  type FormAttempt,
  type RefusedEdit,
  save,
} from "./save.ts";
import type { PagedRow, RecordParts } from "./view.tsx";

/** What a resource does in its own way. */
export interface PageHooks<Row extends PagedRow, ListRow extends ListRecord> {
  resource: Resource;
  /** The path of the list, if it is not that in the API, and of the pages of records. */
  path?: string;
  viewPath?: string;
  /** Who may see them, if not everybody. */
  readers?: readonly Permission[];
  /** The first crumb, if it is not the area in the path. */
  room?: Crumb;
  /** What addresses a record, if it is not its key. */
  address?: "id";
  /** Pages for admins show no history, watch nothing and offer no undo. */
  hasHistory?: false;
  list?: ListHooks<ListRow>;
  /** The record that an address or a form names. */
  find: (caller: Caller, name: string) => Promise<RecordJson<Row>>;
  /** An address with a key, or with another case, is redirected to that with the name. */
  hasOneAddress?: boolean;
  view?: (shown: ShownRecord<Row>) => RecordParts | Promise<RecordParts | Response>;
  /** The place of a record in the list that these parameters show. */
  position?: (
    caller: Caller,
    id: number,
    list: URLSearchParams,
  ) => Promise<ListPosition | undefined>;
  creation?: RecordCreation;
  change?: RecordChange<Row> | undefined;
  form?: (state: ShownForm<Row>) => FormParts | Promise<FormParts>;
  /** Answers what a form asks before it is saved, such as a preview: by itself, or by the form that is shown again. */
  answer?: (asked: AskedForm<Row>) => Promise<Response | FormState<Row> | undefined>;
  /** The form as it is shown after a refusal. */
  refused?: (caller: Caller, sent: RefusedForm) => Promise<Filled>;
  /** The page that is shown after a record is created or changed, if it is not that of the record. */
  after?: (saved: { name: string; owner: string; row?: Row }) => string;
  removal?: Removal<Row>;
  /** What else can be done with a record. */
  actions?: (row: Row) => RecordAction[];
}

export interface ShownRecord<Row> extends ViewState {
  request: Request;
  caller: Caller;
  row: Row;
  version: number;
  timeline: Timeline | undefined;
  mayEdit: boolean;
  mayRemove: boolean;
}

/** How the page of a record is shown after something was done on it. */
export interface ViewState {
  /** Why it was refused. */
  refusal?: Refusal;
  /** The form of the page that was refused: it says why, beside its field. */
  form?: FormData;
  /** The same as it is shown again. */
  filled?: Filled;
  /** Made just now, and shown only here. */
  secret?: string | undefined;
  said?: Notice;
  /** The query of the address. */
  search?: URLSearchParams;
  /** The address of the page, if the request has another one. */
  address?: string;
}

export interface EditedRow<Row> extends EditedRecord {
  row: Row;
  name: string;
}

export interface FormState<Row> {
  filled: Filled;
  edited?: EditedRow<Row> | undefined;
  /** The record to which a new one belongs; empty if none is named in the address. */
  owner?: string;
  /** The form as it was sent, if it was. */
  sent?: FormData;
  status?: number;
  conflict?: EditConflict;
  /** What else the form says, such as a preview. */
  said?: VNode;
}

export interface ShownForm<Row> extends FormState<Row> {
  request: Request;
  caller: Caller;
  action: string;
  owner: string;
}

export interface AskedForm<Row> {
  request: Request;
  caller: Caller;
  edited?: EditedRow<Row>;
  /** Of a POST. */
  form?: FormData;
}

export interface RefusedForm {
  shape: TObject;
  form: FormData;
  refusal: Refusal;
}

interface FormWork<Shape extends TObject, Of, Done>
  extends Pick<FormAttempt<Shape, Done>, "shape" | "placeholders" | "dependents"> {
  /** Reads the form, if not simply by its shape. */
  read?: (form: FormData, of: Of) => Static<Shape>;
  work: (caller: Caller, input: Static<Shape>, of: Of) => Promise<Done>;
}

export interface NewRecord {
  form: FormData;
  owner: string;
}

interface RecordCreation {
  shape: TObject;
  attempt: (caller: Caller, sent: NewRecord) => ReturnType<typeof attempt<Saved>>;
  /** What a new form has, if it is not the defaults and what its address fills in. */
  start?: (owner: string) => FormValues;
  /** The parameter of the address that names the record to which a new one belongs. */
  owner?: string;
  /** Fills in what a form without scripting leaves to the server. */
  complete?: (form: FormData) => Promise<FormData>;
  /** Fields that "Save and add another" keeps. */
  keeps?: readonly string[];
}

export function recordCreation<Shape extends TObject>({
  shape,
  read,
  work,
  placeholders,
  dependents,
  ...own
}: FormWork<Shape, NewRecord, Saved> & Omit<RecordCreation, "shape" | "attempt">): RecordCreation {
  const trying = {
    shape,
    ...(placeholders && { placeholders }),
    ...(dependents && { dependents }),
  };
  return {
    ...own,
    shape,
    attempt: (caller, sent) =>
      attemptForm(caller, sent.form, {
        ...trying,
        ...(read && { read: (form) => read(form, sent) }),
        work: (as, input) => work(as, input, sent),
      }),
  };
}

interface Saved {
  name: string;
  /** Of a new record that is addressed by it. */
  id?: number;
  /** The names of the changed fields, if they are known. */
  changed?: readonly string[];
  /** Shown once, on the page of the new record. */
  secret?: string;
}

export interface RecordChange<Row> {
  shape: TObject;
  /** Refuses to change some records. */
  require?: (row: Row) => void;
  values: (row: Row) => FormValues;
  save: (
    caller: Caller,
    sent: { form: FormData; edited: EditedRow<Row>; resource: Resource },
  ) => Promise<{ done: Saved } | { refused: RefusedEdit }>;
}

export function recordChange<Shape extends TObject, Row extends object>({
  shape,
  read,
  work,
  values = (record) => textsIn(record, Object.keys(shape.properties)),
  ownValues,
  require,
  ...trying
}: FormWork<Shape, { form: FormData; edited: EditedRow<Row> }, Saved> & {
  /** The values of the form, if they are not simply the fields of the record. */
  values?: (record: object) => FormValues;
  /** The same of a record without history: what was typed is not merged with what others have saved meanwhile. */
  ownValues?: RecordChange<Row>["values"];
} & Pick<RecordChange<Row>, "require">): RecordChange<Row> {
  return {
    shape,
    values: ownValues ?? values,
    ...(require && { require }),
    save: (caller, sent) =>
      save(caller, {
        ...trying,
        ...sent,
        shape,
        valuesOf: values,
        hasHistory: !ownValues,
        ...(read && { read: (form) => read(form, sent) }),
        work: (as, input) => work(as, input, sent),
      }),
  };
}

export interface Removal<Row> {
  work: (caller: Caller, id: number) => Promise<unknown>;
  /** What the deletion changes besides, and when it is refused. */
  detail?: (row: Row) => string;
  /** The field of the form that names the record, if it is not its key. */
  by?: { field: "id"; find: (caller: Caller, text: string) => Promise<RecordJson<Row>> };
  /** Asks in its own way; undefined once it is confirmed. */
  confirm?: (
    request: Request,
    caller: Caller,
    asked: { row: Row; form: FormData; crumbs: Crumb[] },
  ) => Promise<Response | undefined>;
  said?: (row: Row) => string;
  after?: (row: Row) => string;
  /** Records are deleted in their list, which also says why it was refused. */
  isInList?: boolean;
}

/** Something that is done with a record by a button on its page. */
export interface RecordAction extends ActionButton {
  work: (caller: Caller, id: number) => Promise<ActionResult>;
}

/** Does this, and then shows that. */
export function doing(
  work: (caller: Caller, id: number) => Promise<unknown>,
  result: ActionResult,
): RecordAction["work"] {
  return async (caller, id) => {
    await work(caller, id);
    return result;
  };
}

interface ActionResult {
  said?: string;
  /** The page that is shown then, if it is not that of the record. */
  to?: string;
  /** Shown once, on the page of the record. */
  secret?: string;
}
