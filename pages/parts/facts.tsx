import type { ComponentChildren } from "preact";
import { AskOf } from "../help/ask.tsx";
import { RecordLink } from "../records/links.tsx";
import { Time } from "../records/time.tsx";

/** A line of a dl.facts; nothing if there is no value. */
export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  if (children === null) return null;
  return (
    <>
      <dt>
        {label} <AskOf label={label} />
      </dt>
      <dd>{children}</dd>
    </>
  );
}

/** Who changed the record last and when, if it stores that. */
export function Stamps({ of }: { of: { updated_at?: string | null; user?: string | null } }) {
  if (!of.updated_at) return null;
  return (
    <Fact label="Updated">
      <Time at={of.updated_at} />{" "}
      {of.user && (
        <>
          by <RecordLink table="users" name={of.user} />
        </>
      )}
    </Fact>
  );
}
