import type { ComponentChildren } from "preact";

/** A line of a dl.facts; none where there is no value. */
export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  if (children === null) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** When it was changed last, and by whom. */
export function Stamps({ of }: { of: { updated_at: string; user: string | null } }) {
  return (
    <Fact label="Changed">
      <time>{of.updated_at}</time> {of.user && `by ${of.user}`}
    </Fact>
  );
}
