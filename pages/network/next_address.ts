import type { Caller } from "../../src/auth/auth.ts";
import type { Refusal } from "../../src/input/errors.ts";
import { proposeNextAddress } from "../../src/network/hosts/address_conflict.ts";
import { type Filled, refused } from "../parts/forms.tsx";
import { field } from "../request/form_values.ts";

/** The refused form as it was sent; an address in use is replaced by the next free one. */
export async function refusedWithNextAddress(
  caller: Caller,
  shape: Filled["shape"],
  { form, refusal }: { form: FormData; refusal: Refusal },
): Promise<Filled> {
  const sent = { network: field(form, "network"), ip: field(form, "ip") };
  const other = await proposeNextAddress(caller, refusal, sent);
  const filled = refused(shape, form, other?.refusal ?? refusal);
  if (other) filled.values.ip = other.ip;
  return filled;
}
