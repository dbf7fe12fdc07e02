// A page with a card for each list of an area: its count, one sentence and the usual actions.
import { PageHead } from "./page_head.tsx";

export interface AreaCardProps {
  title: string;
  href: string;
  /** The count in words: 1,204 hosts. */
  figure?: string | undefined;
  /** One sentence. */
  text: string;
  ways?: Array<{ label: string; href: string }>;
}

export const TAGS_CARD: AreaCardProps = {
  title: "Tags",
  href: "/tags",
  text: "Short texts on records of every kind, to find what belongs together.",
};

interface Props {
  title: string;
  lead: string;
  cards: AreaCardProps[];
}

export function AreaPage({ title, lead, cards }: Props) {
  return (
    <>
      <PageHead title={title} lead={lead} />
      <div class="cards overview">
        {cards.map((card) => (
          <AreaCard {...card} />
        ))}
      </div>
    </>
  );
}

function AreaCard({ title, href, figure, text, ways = [] }: AreaCardProps) {
  return (
    <section class="card">
      <h2>
        <a href={href}>{title}</a>
      </h2>
      {figure && (
        <p>
          <b>{figure}</b>
        </p>
      )}
      <p class="muted">{text}</p>
      {ways.length > 0 && (
        <p class="buttons">
          {ways.map((way) => (
            <a class="button" href={way.href}>
              {way.label}
            </a>
          ))}
        </p>
      )}
    </section>
  );
}
