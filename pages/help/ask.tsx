// A "?" that explains a word or a page in place: a link to the help, whose passage htmx shows beside it.
import { PLACES, topicOf, topicOfPage } from "../../src/help/topics.ts";
import { useFrame, useHx } from "../request/frame.ts";

/** For a topic of src/help/topics.ts: the label of a field, or the path of a page. */
export function Ask({ about }: { about: string }) {
  const hx = useHx();
  const [document, id] = PLACES[about] ?? [];
  if (!document || !id) return null;
  const get = `/help/${document}?section=${id}`;
  return (
    <a
      class="count ask"
      href={`/help/${document}#${id}`}
      aria-label="What is this?"
      {...hx({ get, target: "#help", swap: "innerHTML" })}
    />
  );
}

/** Beside a label, if it is one of the words that need an explanation. */
export function AskOf({ label }: { label: string }) {
  const topic = topicOf(label);
  return topic ? <Ask about={topic} /> : null;
}

/** Beside the title of a page that needs an explanation. */
export function AskOfPage() {
  const topic = topicOfPage(useFrame().pathname);
  return topic ? <Ask about={topic} /> : null;
}

/** Where the passage appears. */
export function HelpBox() {
  return <dialog id="help" popover="auto" aria-labelledby="help-title" />;
}
