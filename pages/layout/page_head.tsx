import type { ComponentChildren } from "preact";

import { AskOfPage } from "../help/ask.tsx";

interface Props {
  title: ComponentChildren;
  lead?: ComponentChildren;
  /** What can be done, beside the title. */
  children?: ComponentChildren;
}

/** The title of a page, and one sentence about what is there. */
export function PageHead({ title, lead, children }: Props) {
  return (
    <header class="head">
      <div>
        <h1>{title}</h1> <AskOfPage />
        {lead && <p class="lead">{lead}</p>}
      </div>
      {children}
    </header>
  );
}
