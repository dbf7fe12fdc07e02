// Networks that fill up, with the day on which they will be full.
import { daysUntilFull, type NetworkGrowth } from "../../src/network/networks/growth.ts";
import { dayAfter } from "../../src/store/figures/days.ts";
import { networkPath } from "../network/paths.ts";
import { addressCount } from "../parts/usage.tsx";
import { dayInWords } from "../records/time.tsx";
import { ShareBar } from "./charts.tsx";
import { spanInWords } from "./words.ts";

/** Networks are shown that are nearly full, or will be within half a year. */
const NEARLY = 0.8;
const SOON = 183;
const MOST_SHOWN = 6;

interface FillingUp {
  network: NetworkGrowth;
  days: number | undefined;
}

export function FillUp({ filling }: { filling: FillingUp[] }) {
  return (
    <section class="card" aria-labelledby="full-title">
      <h2 id="full-title">Nearly full networks</h2>
      <ul class="filling">
        {filling.map(({ network, days }) => (
          <li>
            <a href={networkPath(network.vlan_name)}>{network.vlan_name}</a>{" "}
            <span class="number">{useOf(network)}</span>{" "}
            <ShareBar
              share={shareOf(network)}
              class={isNearlyFull(network) ? "part-full" : "part-1"}
            />
            <p class="muted">{sentenceOf(days)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Sorted by the day on which they will be full; then those that do not grow, the fullest first. */
export function fillingUp(networks: NetworkGrowth[]): FillingUp[] {
  return networks
    .map((network) => ({ network, days: daysUntilFull(network) }))
    .filter(({ network, days = Infinity }) => days <= SOON || isNearlyFull(network))
    .toSorted(
      (one, other) =>
        soonest(one.days, other.days) || shareOf(other.network) - shareOf(one.network),
    )
    .slice(0, MOST_SHOWN);
}

function soonest(one = Number.MAX_SAFE_INTEGER, other = Number.MAX_SAFE_INTEGER): number {
  return one - other;
}

function shareOf({ used, size }: NetworkGrowth): number {
  return used / size;
}

function isNearlyFull(network: NetworkGrowth): boolean {
  return shareOf(network) > NEARLY;
}

function useOf({ used, size }: NetworkGrowth): string {
  return `${used.toLocaleString("en")} of ${addressCount(BigInt(size))}`;
}

function sentenceOf(days: number | undefined): string {
  if (days === undefined) return "Not growing";
  if (days === 0) return "Full";
  return `Full in about ${spanInWords(days)} (${dayInWords(dayAfter(days))})`;
}
