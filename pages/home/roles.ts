// What kinds of work a person does here, which decides what the home page shows first.
import { type Allowed, type Caller, may } from "../../src/auth/auth.ts";

const ROLES = {
  admin: ["admin"],
  inventory: ["inventory", "inventory by location"],
  network: ["network", "network by scope"],
} as const satisfies Record<string, Allowed>;

export type Role = keyof typeof ROLES;

export function rolesOf(caller: Caller): Role[] {
  const all = Object.keys(ROLES) as Role[];
  return all.filter((role) => may(caller, ROLES[role]));
}
