// The cast: the users of all tests, one for each group. They have the same password, hashed once a run.

export interface Person {
  username: string;
  groups: string[];
}

export const PASSWORD = "correct horse battery staple";

export const alice: Person = { username: "alice", groups: ["admin"] };
export const audrey: Person = { username: "audrey", groups: ["auditor"] };
export const bob: Person = { username: "bob", groups: ["inventory"] };
export const carol: Person = { username: "carol", groups: [] };
export const dave: Person = { username: "dave", groups: ["network"] };

export const cast = [alice, audrey, bob, carol, dave];

/** A client without a token. */
export const stranger = "stranger";
