interface Props {
  name: string;
  href: string;
}

/** A longer name would take two lines: it is cut, with the whole in its title. */
const LONGEST = 30;

/** The link of a row to its record. */
export function RowLink({ name, href }: Props) {
  return (
    <a class={isLong(name) ? "open cut" : "open"} href={href} title={titleIfCut(name)}>
      {name}
    </a>
  );
}

/** The title of a name that may be cut. */
export function titleIfCut(name: string): string | undefined {
  return isLong(name) ? name : undefined;
}

function isLong(name: string): boolean {
  return name.length > LONGEST;
}
