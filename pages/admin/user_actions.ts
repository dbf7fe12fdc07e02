// The actions of an admin on a user that need no form.
import type { Account } from "../../src/user/account.ts";
import { mark } from "../../src/user/sign_in/break_glass.ts";
import * as users from "../../src/user/users.ts";
import { doing, type RecordAction } from "../resource/hooks.ts";

export function actionsFor(row: Account): RecordAction[] {
  const { username, state } = row;
  if (state === "deactivated") {
    return [
      {
        name: "activate",
        label: "Activate",
        work: doing(users.activate, { said: `${username} may log in again` }),
      },
    ];
  }
  return [
    ...breakGlassActions(row),
    {
      name: "end_sessions",
      label: "End the sessions",
      question: {
        title: `End the sessions of ${username}?`,
        detail: `${username} is logged out everywhere. Personal tokens stay.`,
        verb: "End",
      },
      work: doing((caller, id) => users.end(caller, id, "sessions"), {
        said: `${username} is logged out everywhere`,
      }),
    },
    {
      name: "end_tokens",
      label: "Revoke the tokens",
      question: {
        title: `Revoke the tokens of ${username}?`,
        detail: "Programs that use them lose access immediately.",
        verb: "Revoke",
      },
      work: doing((caller, id) => users.end(caller, id, "tokens"), {
        said: `The tokens of ${username} have ended`,
      }),
    },
    {
      name: "deactivate",
      label: "Deactivate this user",
      question: {
        title: `Deactivate ${username}?`,
        detail: "All sessions and tokens end at once. Records keep the name.",
        verb: "Deactivate",
      },
      work: doing(users.remove, { said: `${username} is deactivated` }),
    },
  ];
}

/** Marks a local admin as an account that can always log in, or removes the mark. */
function breakGlassActions({
  username,
  groups,
  provider,
  is_break_glass,
}: Account): RecordAction[] {
  if (is_break_glass) {
    return [
      {
        name: "no_break_glass",
        label: "Not a break-glass account any more",
        work: doing((caller, id) => mark(caller, id, false), {
          said: `${username} is no break-glass account any more`,
        }),
      },
    ];
  }
  if (provider || !groups?.includes("admin")) return [];
  return [
    {
      name: "break_glass",
      label: "Make it a break-glass account",
      work: doing((caller, id) => mark(caller, id, true), {
        said: `${username} can always log in with the password; each use is in the audit log`,
      }),
    },
  ];
}
