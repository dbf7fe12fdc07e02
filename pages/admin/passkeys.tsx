// POST /admin/sign-in/passkeys: the groups that need a passkey. POST /admin/users/passkey: removes one of a user.
import { Elysia } from "elysia";
import { type Caller, GROUPS } from "../../src/auth/auth.ts";
import { notFound } from "../../src/input/errors.ts";
import { keyIn } from "../../src/input/keys.ts";
import { rowOf } from "../../src/store/records.ts";
import { accountNamed } from "../../src/user/administration.ts";
import * as passkeys from "../../src/user/passkeys/passkeys.ts";
import { requireOf } from "../../src/user/passkeys/requirement.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { redirect } from "../layout/page.tsx";
import { attempt } from "../parts/forms.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { reasonsOf } from "../texts.ts";
import { partyOf } from "../user/paths.ts";
import { questionFor } from "./passkeys_view.tsx";
import { ADMIN, SIGN_IN, userPath } from "./paths.ts";
import { showSignIn } from "./sign_in.tsx";

const ADMINS = { see: ["admin"] } as const;

export const passkeyAdminPages = new Elysia({ prefix: ADMIN, normalize: false })
  .use(guard)
  .post(
    "/sign-in/passkeys",
    ({ request, caller, form }) => setRequirement(request, caller, form),
    ADMINS,
  )
  .post("/users/passkey", ({ request, caller, form }) => remove(request, caller, form), ADMINS);

async function setRequirement(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const groups = GROUPS.filter((group) => form.getAll(group).at(-1) === "true");
  const tried = await attempt(() => requireOf(caller, groups, partyOf(request)));
  if ("refusal" in tried) return showSignIn(request, caller, reasonsOf(tried.refusal.errors));
  return redirect(request, SIGN_IN, "Saved who needs a passkey");
}

async function remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const { id, username } = rowOf(await accountNamed(caller, field(form, "username")));
  const found = await passkeys.overview(id);
  const passkey = found?.passkeys.find((one) => one.id === keyIn(field(form, "passkey_id")));
  if (!passkey) throw notFound();
  const back = userPath(username);
  const asking = confirmFirst(request, form, { ...questionFor(username, passkey), back });
  if (asking) return asking;
  await passkeys.removeOf(caller, id, passkey.id);
  return redirect(request, back, `Removed ${passkey.name} of ${username}`);
}
