// Proposes another address when the requested one has been allocated in the meantime.
import type { Caller } from "../../auth/auth.ts";
import { visibleOwner } from "../../auth/probing.ts";
import { invalid, type Refusal } from "../../input/errors.ts";
import { brokenBy } from "../../store/constraints.ts";
import { nextFree } from "../addresses/allocation.ts";
import { networkNamed } from "./form_checks.ts";

interface NextAddress {
  /** The next free address. */
  ip: string;
  refusal: Refusal;
}

/** The next free address and a refusal that names it, if the address was the only error. */
export async function proposeNextAddress(
  caller: Caller,
  refusal: Refusal,
  entered: { network: string; ip: string },
): Promise<NextAddress | undefined> {
  const taken = brokenBy("interfaces_ip_key")?.message;
  if (entered.ip === "" || refusal.message !== taken) return undefined;
  const network = await networkNamed(caller, entered.network);
  const ip = network ? await nextFree(network.id) : "";
  if (ip === "") return undefined;
  const owner = await visibleOwner(caller, { value: entered.ip });
  const isTaken = owner ? `is an address of the host ${owner}` : "is not available";
  const message = `${entered.ip} ${isTaken}; ${ip} is the next free address. Save again to use it`;
  return { ip, refusal: invalid("ip", message) };
}
