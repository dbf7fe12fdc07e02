import type { ComponentChildren } from "preact";

/** A line of a dl.facts; nothing if there is no value. */
export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  if (children === null) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Who changed the record last, and when. */
export function Stamps({ of }: { of: { updated_at: string; user: string | null } }) {
  return (
    <Fact label="Updated">
      <time>{of.updated_at}</time> {of.user && `by ${of.user}`}
    </Fact>
  );
}
