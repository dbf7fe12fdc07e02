// Shared by the creation and the edit of a network: the page around the form, and the dry run of its values.
import type { VNode } from "preact";
import { asDryRunOfDraft, type Caller } from "../../../src/auth/auth.ts";
import { type FieldError, refuse } from "../../../src/input/errors.ts";
import type { NetworkTexts } from "../../../src/network/networks/form_input.ts";
import { fragment, page, wantsFragment } from "../../layout/page.tsx";
import { BY_BOX } from "../../parts/forms.tsx";
import { textsOf } from "../../request/form_values.ts";
import { NETWORKS, networkPath } from "../paths.ts";
import { type FormProps, NetworkForm } from "./form.tsx";

interface NetworkFormPage {
  title: string;
  /** What others changed in the network that is edited. */
  meanwhile?: VNode;
  status?: number;
  form: FormProps;
}

export function showForm(
  request: Request,
  { title, status, meanwhile, form }: NetworkFormPage,
): Response {
  const { editing } = form;
  if (wantsFragment(request)) return fragment(request, <NetworkForm {...form} />);
  return page(request, {
    title,
    status,
    crumbs: [
      { label: "Network" },
      { label: "Networks", href: NETWORKS },
      ...(editing ? [{ label: editing.vlan_name, href: networkPath(editing.vlan_name) }] : []),
      { label: editing ? "Edit" : "Add" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        {meanwhile}
        <NetworkForm {...form} />
      </>
    ),
  });
}

/** With doubts the write is a dry run: once it has no errors, the user is asked. */
export async function unlessDoubted<T>(
  caller: Caller,
  doubts: FieldError[],
  work: (as: Caller) => Promise<T>,
): Promise<T> {
  if (doubts.length === 0) return work(caller);
  await work(asDryRunOfDraft(caller));
  throw refuse(doubts.map(({ field, message }) => ({ field, message: `${message}${BY_BOX}` })));
}

export function networkTextsIn(form: FormData): NetworkTexts {
  const { _validate, ...texts } = textsOf(form);
  return texts;
}

export function formOf(texts: NetworkTexts): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) form.append(name, text ?? "");
  return form;
}
