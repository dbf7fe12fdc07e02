// The head of a zone: its SOA and NS records and the TTL.
import { type Static, Type } from "@sinclair/typebox";
import { feedQuery, filters } from "./parameters.ts";

const NAME =
  "([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\\.?";
const MAILBOX = "[A-Za-z0-9][A-Za-z0-9._-]{0,62}";
const LONGEST_NAME = 254;
const MOST_SERVERS = 13;
const WEEK = 604_800;

const server = Type.String({
  pattern: `^${NAME}$`,
  maxLength: LONGEST_NAME,
  description: "Use the full name of a name server",
});

export const zoneQuery = feedQuery({
  ...filters,
  ns: Type.Optional(
    Type.Array(server, {
      maxItems: MOST_SERVERS,
      uniqueItems: true,
      title: "The full name of a name server, the primary first; repeat for several",
      description: `Name each server once, ${MOST_SERVERS} at most`,
    }),
  ),
  contact: Type.Optional(
    Type.String({
      pattern: `^${MAILBOX}@(?=.{1,${LONGEST_NAME}}$)${NAME}$`,
      title: "The mail address of the zone's administrator",
      description: "Use a mail address such as hostmaster@example.org, once",
    }),
  ),
  ttl: Type.Integer({
    minimum: 0,
    maximum: WEEK,
    default: 3_600,
    title: "The time to live, in seconds",
    description: `Use a whole number from 0 to ${WEEK}, once`,
  }),
});

export interface Authority {
  /** Full names with their last dot; the first is the primary. */
  servers: string[];
  contact: string;
  ttl: number;
}

/** Without a name server the zone names localhost, which every server loads. */
export function zoneAuthority(
  { ns = ["localhost"], contact, ttl }: Static<typeof zoneQuery>,
  zone: string,
): Authority {
  return { servers: ns.map(absolute), contact: mailboxName(contact ?? `hostmaster@${zone}`), ttl };
}

/** A function of the serial, which is known only after the rest of the zone. */
export function headOf(zone: string, { servers, contact, ttl }: Authority) {
  const primary = servers[0];
  const rest = servers.map((server) => `@\tIN\tNS\t${server}\n`).join("");
  return (serial: number) =>
    `$ORIGIN ${zone}.\n$TTL ${ttl}\n` +
    `@\tIN\tSOA\t${primary} ${contact} ${serial} 3600 900 1209600 300\n${rest}`;
}

/** A mail address becomes a name: its dots before the @ are no separators. */
function mailboxName(address: string): string {
  const [mailbox = "", domain = ""] = address.split("@");
  return `${mailbox.replaceAll(".", "\\.")}.${absolute(domain)}`;
}

function absolute(name: string): string {
  return `${name.toLowerCase().replace(/\.$/, "")}.`;
}
