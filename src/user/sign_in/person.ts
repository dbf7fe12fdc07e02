// Checks what a provider says about a person before it is stored: a provider may send anything.
import { textError } from "../../input/text.ts";
import type { ExternalPerson } from "./provider.ts";

/** What the provider says about this person cannot be used; others are not affected. */
export class UnusablePerson extends Error {}

/** OpenID Connect has no longer subjects. */
const LONGEST_SUBJECT = 255;
const LONGEST_TEXT = 300;
/** Longer lists of groups are a mistake of the settings, and are stored with each person. */
const MOST_GROUPS = 2_000;
const LONGEST_GROUP = 500;

/**
 * A subject that cannot be stored as it is would be that of somebody else, so it is refused. Groups that no mapping can
 * name are left out.
 */
export function checkedPerson(person: ExternalPerson): ExternalPerson {
  const { subject, username, display_name, email, groups } = person;
  const error = subject.length > LONGEST_SUBJECT ? "It is too long" : textError(subject);
  if (error) throw new UnusablePerson(`The subject cannot be used: ${error}`);
  return {
    ...person,
    username: username === undefined ? undefined : plainText(username),
    display_name: display_name && plainText(display_name),
    email: email && plainText(email),
    groups: [...new Set(groups)].filter(isGroup).slice(0, MOST_GROUPS),
  };
}

function isGroup(name: string): boolean {
  return name !== "" && name.length <= LONGEST_GROUP && textError(name) === undefined;
}

/** Without control characters and those that change the direction of text. */
function plainText(text: string): string {
  const start = [...text.slice(0, 2 * LONGEST_TEXT)].slice(0, LONGEST_TEXT).join("");
  const plain = start
    .toWellFormed()
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim();
  return textError(plain) === undefined ? plain : "";
}
