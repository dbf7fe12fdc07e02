// The tour: five cards for everybody who has not closed them yet.
import { Elysia } from "elysia";
import * as tour from "../../src/user/tour.ts";
import { redirect } from "../layout/page.tsx";
import { guard } from "../request/guard.ts";

const CLOSE = "/user/tour/close";

export const tourPages = new Elysia({ normalize: false }).use(guard).post(
  CLOSE,
  async ({ request, caller }) => {
    await tour.close(caller);
    return redirect(request, "/");
  },
  { see: "everyone" },
);

interface TourCard {
  title: string;
  text: string;
  href: string;
  link: string;
}

const CARDS: TourCard[] = [
  {
    title: "One box finds everything",
    text: "Type a name, an address or a serial number. The keys / and Ctrl K open the box on every page.",
    href: "/help/search#the-one-box",
    link: "See what it finds",
  },
  {
    title: "Every list has its own URL",
    text: "Filter and sort, then save the view or send its link to somebody. Export it as a file.",
    href: "/inventory/items",
    link: "Open the items",
  },
  {
    title: "Nothing is lost",
    text: "Each record has its history, and a change can be undone. The page of a change shows what it did.",
    href: "/changes",
    link: "See all changes",
  },
  {
    title: "Scan instead of typing",
    text: "Print labels with codes, and read them with a scanner or a phone. One scan finds or changes an item.",
    href: "/inventory/scanner",
    link: "Open the scan desk",
  },
  {
    title: "Programs are welcome",
    text: "What you can do here, a program can do with a token. A ? beside a word explains it; Help has the rest.",
    href: "/help",
    link: "Read the help",
  },
];

export function Tour() {
  return (
    <section class="tour" aria-labelledby="tour-title">
      <header class="over">
        <h2 id="tour-title">Five things to know</h2>
        <form method="post" action={CLOSE}>
          <button type="submit" class="quiet">
            Close the tour
          </button>
        </form>
      </header>
      <ol>
        {CARDS.map(({ title, text, href, link }) => (
          <li class="card">
            <h3>{title}</h3>
            <p>{text}</p>
            <a href={href}>{link}</a>
          </li>
        ))}
      </ol>
    </section>
  );
}
