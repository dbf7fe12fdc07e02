// What a "?" beside a word or a title explains, and where it is written.
import { documentNamed } from "./documents.ts";
import type { HelpNode, HelpSection } from "./sections.ts";

/** The place in a document: the id of a heading, or of a term of the glossary. */
type Place = readonly [document: string, id: string];

/** The labels of fields, columns and facts that have a "?". */
const WORDS = {
  "Admins only": ["glossary", "admin-only-network"],
  "Break-glass account": ["sign-in", "break-glass-accounts"],
  Cnames: ["glossary", "cname"],
  "Device type": ["glossary", "device-type"],
  "First address": ["glossary", "first-and-last-address"],
  Group: ["glossary", "group"],
  Groups: ["glossary", "group"],
  IOC: ["glossary", "ioc"],
  "Last address": ["glossary", "first-and-last-address"],
  "Limit to": ["glossary", "token"],
  "Only admins may add and change hosts": ["glossary", "admin-only-network"],
  Passkeys: ["sign-in", "passkeys"],
  Scope: ["glossary", "scope"],
  Scopes: ["glossary", "scope"],
  Secret: ["glossary", "signing-secret"],
  Sensitive: ["glossary", "sensitive-network"],
  "Stack member": ["glossary", "stack-member"],
  Variables: ["glossary", "variables"],
} as const satisfies Record<string, Place>;

/** Pages by their paths; those below them have the same. */
const PAGES = {
  "/admin": ["operating", "administration"],
  "/admin/audit": ["operating", "audit-log"],
  "/admin/jobs": ["operating", "jobs"],
  "/admin/service-accounts": ["sign-in", "service-accounts"],
  "/admin/sign-in": ["sign-in", "sign-in-by-the-site"],
  "/admin/system": ["operating", "system"],
  "/admin/tokens": ["operating", "tokens"],
  "/admin/triggers": ["events", "triggers"],
  "/admin/users": ["operating", "users"],
  "/admin/webhooks": ["events", "webhooks"],
  "/inventory/attributes/location": ["glossary", "location"],
  "/inventory/attributes/status": ["glossary", "status"],
  "/inventory/scanner": ["glossary", "scan-desk"],
  "/network/device_types": ["glossary", "device-type"],
  "/network/domains": ["glossary", "domain"],
  "/network/scopes": ["glossary", "scope"],
  "/site_fields": ["fields", "fields-and-tags-of-a-site"],
} as const satisfies Record<string, Place>;

export const PLACES: Readonly<Record<string, Place>> = { ...WORDS, ...PAGES };

/** The topic of a label or of the path of a page, if it has one. */
export function topicOf(label: string): string | undefined {
  return Object.hasOwn(PLACES, label) ? label : undefined;
}

export function topicOfPage(path: string): string | undefined {
  const paths = Object.keys(PAGES).filter((one) => path === one || path.startsWith(`${one}/`));
  return paths.toSorted((one, other) => other.length - one.length)[0];
}

export interface Passage {
  title: string;
  nodes: HelpNode[];
}

/** A section of a document by its first paragraph, or a term. */
export function passageOf(document: string, id: string): Passage | undefined {
  const sections = documentNamed(document)?.sections ?? [];
  const section = sections.find((one) => one.id === id);
  if (section) return { title: section.title, nodes: beginningOf(section) };
  const term = sections.flatMap(({ terms }) => terms).find((one) => one.id === id);
  return term && { title: term.title, nodes: [{ type: "p", props: { children: [term.text] } }] };
}

/** Its first paragraph. */
function beginningOf({ nodes }: HelpSection): HelpNode[] {
  return nodes.filter((node) => typeof node !== "string" && node.type === "p").slice(0, 1);
}
