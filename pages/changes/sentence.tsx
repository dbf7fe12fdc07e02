// What a change set did, in one sentence: see src/history/words.ts.
import type { ComponentChildren } from "preact";
import {
  changedFieldNames,
  changePath,
  type SentencePart,
  type SetSummary,
  sentenceOf,
} from "../../src/history/words.ts";

interface Props {
  set: SetSummary;
  /** Names the changed fields. */
  withFields?: boolean;
  /** On the page of the set: no link leads there. */
  isOwn?: boolean;
  /** After the name of the user. */
  isInside?: boolean;
}

export function Sentence({ set, withFields = true, isOwn = false, isInside = false }: Props) {
  const details = isOwn ? undefined : changePath(set.id);
  const fields = withFields ? changedFieldNames(set) : "";
  return (
    <>
      {sentenceOf(set, { details, isInside }).map((part) => (
        <PartOfSentence part={part} />
      ))}
      {fields !== "" && <span class="muted">: {fields}</span>}
    </>
  );
}

export function PartOfSentence({ part }: { part: SentencePart }): ComponentChildren {
  if (typeof part === "string") return part;
  return part.path ? <a href={part.path}>{part.name}</a> : <b>{part.name}</b>;
}
