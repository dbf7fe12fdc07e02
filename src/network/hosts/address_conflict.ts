// What to do about an address that somebody else took first.

import type { Caller } from "../../auth/auth.ts";
import { invalid, type Refusal } from "../../input/errors.ts";
import { brokenBy } from "../../store/constraints.ts";
import { nextFree } from "../addresses/allocation.ts";
import { groundOf } from "./form_checks.ts";

export interface Instead {
  /** The next free one; "" where there is none. */
  ip: string;
  refusal: Refusal;
}

/** Where it was refused for its address alone: the next one, and words for it. */
export async function instead(
  caller: Caller,
  refusal: Refusal,
  sent: { network: string; ip: string },
): Promise<Instead | undefined> {
  const taken = brokenBy("interfaces_ip_key")?.message;
  if (sent.ip === "" || refusal.message !== taken) return undefined;
  const ground = await groundOf(caller, sent.network);
  const ip = ground ? await nextFree(ground.id) : "";
  if (ip === "") return undefined;
  const message = `${sent.ip} is not available; ${ip} is the next free one. Save again to take it`;
  return { ip, refusal: invalid("ip", message) };
}
