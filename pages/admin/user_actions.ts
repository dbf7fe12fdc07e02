// The actions of an admin on a user that need no form.
import type { Caller } from "../../src/auth/auth.ts";
import type { Account } from "../../src/user/account.ts";
import * as users from "../../src/user/users.ts";

export interface UserAction {
  name: string;
  label: string;
  question?: { title: string; detail: string; verb: string };
  work: (caller: Caller, id: number) => Promise<unknown>;
  /** The message after the action. */
  done: string;
}

export function actionsFor({ username, state }: Account): UserAction[] {
  if (state === "deactivated") {
    return [
      {
        name: "activate",
        label: "Activate",
        work: users.activate,
        done: `${username} may log in again`,
      },
    ];
  }
  return [
    {
      name: "end_sessions",
      label: "End the sessions",
      question: {
        title: `End the sessions of ${username}?`,
        detail: `${username} is logged out everywhere. Personal tokens stay.`,
        verb: "End",
      },
      work: (caller, id) => users.end(caller, id, "sessions"),
      done: `${username} is logged out everywhere`,
    },
    {
      name: "end_tokens",
      label: "Revoke the tokens",
      question: {
        title: `Revoke the tokens of ${username}?`,
        detail: "Programs that use them lose access immediately.",
        verb: "Revoke",
      },
      work: (caller, id) => users.end(caller, id, "tokens"),
      done: `The tokens of ${username} have ended`,
    },
    {
      name: "deactivate",
      label: "Deactivate this user",
      question: {
        title: `Deactivate ${username}?`,
        detail: "All sessions and tokens end at once. Records keep the name.",
        verb: "Deactivate",
      },
      work: users.remove,
      done: `${username} is deactivated`,
    },
  ];
}
