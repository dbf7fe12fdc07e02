// What a zone begins with: who answers for it, and for how long an answer holds.
import { type Fault, invalid } from "../../input/errors.ts";
import { numbers, only, refuseAny } from "./parameters.ts";

export const ZONE_PARAMS = ["ns", "contact", "ttl"] as const;

export interface Authority {
  /** Full names with their last dot; the first is the primary. */
  servers: string[];
  contact: string;
  ttl: number;
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i;
const MAILBOX = /^[a-z0-9][a-z0-9._-]{0,62}@/i;
const LONGEST_NAME = 254;
const MOST_SERVERS = 13;
const WEEK = 604_800;

/** Without a name server the zone names localhost, which every server loads. */
export function readAuthority(params: URLSearchParams, zone: string): Authority {
  const servers = params.getAll("ns");
  const faults: Fault[] = servers
    .filter((name) => !isName(name))
    .map(() => ({ field: "ns", message: "Use the full name of a name server" }));
  if (servers.length > MOST_SERVERS || new Set(servers).size < servers.length) {
    faults.push({ field: "ns", message: `Name each server once, ${MOST_SERVERS} at most` });
  }
  refuseAny(faults);
  const [ttl = 3_600, ...others] = numbers(params, "ttl", { least: 0, most: WEEK });
  if (others.length > 0) throw invalid("ttl", "Use one number of seconds");
  return {
    servers: servers.length === 0 ? ["localhost."] : servers.map(absolute),
    contact: readContact(params) ?? `hostmaster.${zone}.`,
    ttl,
  };
}

/** Its serial is the one thing that is not known before the rest is. */
export function headOf(zone: string, { servers, contact, ttl }: Authority) {
  const primary = servers[0];
  const rest = servers.map((server) => `@\tIN\tNS\t${server}\n`).join("");
  return (serial: number) =>
    `$ORIGIN ${zone}.\n$TTL ${ttl}\n` +
    `@\tIN\tSOA\t${primary} ${contact} ${serial} 3600 900 1209600 300\n${rest}`;
}

/** A mail address becomes a name: its dots before the @ are no separators. */
function readContact(params: URLSearchParams): string | undefined {
  const expected = "Use a mail address such as hostmaster@example.org";
  const text = only(params, "contact", expected);
  if (text === undefined) return undefined;
  const domain = text.replace(MAILBOX, "");
  if (domain === text || !isName(domain)) throw invalid("contact", expected);
  const mailbox = text.slice(0, text.indexOf("@")).replaceAll(".", "\\.");
  return `${mailbox}.${absolute(domain)}`;
}

function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && NAME.test(text);
}

function absolute(name: string): string {
  return `${name.toLowerCase().replace(/\.$/, "")}.`;
}
