// The device types of hosts.
import type { Static } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { closed } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import type * as records from "../../store/records.ts";
import { creation } from "../../store/resource.ts";
import { removeUnused } from "../common/remove_unused.ts";
import { type DeviceType, deviceType } from "./device_type.ts";

export const newDeviceType = closed(creation(deviceType));

export function list(caller: Caller, params: URLSearchParams): Promise<records.Listed<DeviceType>> {
  return crud.list(deviceType, caller, params);
}

export function find(
  caller: Caller,
  id: number,
  isRecursive = false,
): Promise<records.Found<DeviceType>> {
  return crud.find(deviceType, caller, id, { isRecursive });
}

export function create(
  caller: Caller,
  input: Static<typeof newDeviceType>,
): Promise<records.Found<DeviceType>> {
  return crud.create(deviceType, caller, input);
}

/** Refused while hosts have it. */
export function remove(caller: Caller, id: number): Promise<void> {
  const uses = [{ noun: "host", from: sql`hosts where device_type_id = ${id}` }];
  return removeUnused({ called: "device type", uses }, () => crud.remove(deviceType, caller, id));
}
