import type { UserGroup } from "../auth/auth.ts";

interface DemoPerson {
  username: string;
  display_name: string;
  groups: UserGroup[];
}

/** Alice is an admin, Bob edits, Carol only reads; the others add more activity. */
export const people: DemoPerson[] = [
  { username: "alice", display_name: "Alice Andersson", groups: ["admin"] },
  { username: "bob", display_name: "Bob Berger", groups: ["inventory", "network"] },
  { username: "carol", display_name: "Carol Chen", groups: [] },
  { username: "dave", display_name: "Dave Dubois", groups: ["network"] },
  { username: "erin", display_name: "Erin Eriksson", groups: ["auditor"] },
  { username: "frank", display_name: "Frank Ferrari", groups: ["inventory"] },
  { username: "grace", display_name: "Grace García", groups: ["inventory"] },
  { username: "heidi", display_name: "Heidi Hansen", groups: ["inventory", "network"] },
];
