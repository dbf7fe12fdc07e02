// GET /network/domains: the list. GET and POST …/create, POST …/delete.
import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import { domain } from "../../../src/network/domains/domain.ts";
import * as domains from "../../../src/network/domains/domains.ts";
import { listRows } from "../../../src/store/crud.ts";
import { rowOf, rowsOf } from "../../../src/store/records.ts";
import { defaultTexts } from "../../../src/store/versions.ts";
import { confirmFirst } from "../../layout/confirm.tsx";
import { page, redirect, withUndo } from "../../layout/page.tsx";
import { attempt, blank, Field, type Filled, refused, Summary } from "../../parts/forms.tsx";
import { OtherFields } from "../../parts/resource_fields.tsx";
import { SaveButtons } from "../../parts/save_buttons.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { readTyped } from "../../request/typed_search.ts";
import { withParams } from "../../request/url_parameters.ts";
import { added, deleted, reasonsOf } from "../../texts.ts";
import { DOMAINS, EDITORS } from "../paths.ts";
import { DETAIL, DomainList, type DomainListProps, DomainsPage } from "./list.tsx";

const { newDomain } = domains;
const CREATE = `${DOMAINS}/create`;

export const domainPages = new Elysia({ prefix: DOMAINS, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => show(request, { caller, params: search }), {
    see: "everyone",
  })
  .get("/create", ({ request }) => showForm(request, blank(newDomain, defaultTexts(domain))), {
    see: EDITORS,
  })
  .post("/create", ({ request, caller, form }) => create(request, caller, form), { see: EDITORS })
  .post(
    "/delete",
    ({ request, caller, search, form }) => remove(request, { caller, params: search }, form),
    { see: EDITORS },
  );

interface ListRequest {
  caller: Caller;
  params: URLSearchParams;
}

async function show(
  request: Request,
  { caller, params }: ListRequest,
  refused?: DomainListProps["refused"],
): Promise<Response> {
  const listParams = readTyped(params);
  listParams.delete("cols");
  const listed = await listRows(domain, caller, listParams);
  const rows = rowsOf(listed);
  const shown: DomainListProps = { params, listed, rows, mayEdit: may(caller, EDITORS), refused };
  return page(request, {
    title: "Domains",
    status: refused && 422,
    crumbs: [{ label: "Network" }, { label: "Domains" }],
    body: <DomainsPage {...shown} />,
    fragment: <DomainList {...shown} />,
  });
}

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attempt(async () => domains.create(caller, readFormInput(newDomain, form)));
  if ("refusal" in tried) return showForm(request, refused(newDomain, form, tried.refusal), 422);
  const { name } = rowOf(tried.done);
  return redirect(request, form.has("again") ? CREATE : DOMAINS, withUndo(request, added(name)));
}

function showForm(request: Request, filled: Filled, status = 200): Response {
  return page(request, {
    title: "Add domain",
    status,
    crumbs: [{ label: "Network" }, { label: "Domains", href: DOMAINS }, { label: "Add" }],
    body: (
      <>
        <header class="head">
          <h1>Add domain</h1>
        </header>
        <form class="sheet" method="post" action={CREATE} data-guard>
          <Summary filled={filled} />
          <Field
            filled={filled}
            name="name"
            hint="Such as lab.example.org; stored in lower case"
            autofocus
          />
          <OtherFields filled={filled} placed={["name"]} />
          <SaveButtons isNew back={DOMAINS} />
        </form>
      </>
    ),
  });
}

async function remove(
  request: Request,
  listRequest: ListRequest,
  form: FormData,
): Promise<Response> {
  const { caller, params } = listRequest;
  const { id, name } = rowOf(await domains.find(caller, keyNamed(field(form, "id"))));
  const back = withParams(DOMAINS, params, {});
  const question = { title: `Delete ${name}?`, detail: DETAIL, verb: "Delete", back };
  const confirmation = confirmFirst(request, form, question);
  if (confirmation) return confirmation;
  const tried = await attempt(() => domains.remove(caller, id));
  if ("refusal" in tried) {
    const message = reasonsOf(tried.refusal.errors);
    return show(request, listRequest, { id, message });
  }
  return redirect(request, back, withUndo(request, deleted(name)));
}
