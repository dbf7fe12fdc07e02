// Which addresses the service may send requests to: never itself, its database or this machine's neighbours on the link;
// loopback, and http without TLS, only where the operator has listed the network in WEBHOOK_ALLOW.
import { networkInterfaces } from "node:os";
import { readDatabaseAddress } from "../../db/address.ts";
import { currentConfig } from "../config.ts";
import { blocks, innermost, isIn, isWithin, LOOPBACK, PRIVATE } from "../input/address_ranges.ts";
import { type Block, formatAddress, type IpAddress, readAddress } from "../input/addresses.ts";

/** The addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>;

export interface TargetAddress {
  /** As the URL has it. */
  name: string;
  addresses: IpAddress[];
  port: number;
  isSecure: boolean;
}

/** Never, even if they are listed. */
const FORBIDDEN: ReadonlyArray<[string, Block[]]> = [
  ["an unspecified address", blocks("0.0.0.0/8", "::/128")],
  ["a link-local address", blocks("169.254.0.0/16", "fe80::/10", "fec0::/10")],
  ["a multicast address", blocks("224.0.0.0/4", "ff00::/8")],
  ["a reserved address", blocks("240.0.0.0/4", "192.0.0.0/24", "100::/64")],
  // The IPv4 address in it cannot be read without knowing the translator.
  ["an address of a translator", blocks("64:ff9b:1::/48")],
];

/** Why no request may be sent there; undefined if it may. */
export async function targetRefusal(
  place: TargetAddress,
  resolve: Resolve,
): Promise<string | undefined> {
  for (const given of place.addresses) {
    const refused = refusalOfAddress(innermost(given), place);
    if (refused) return `${formatAddress(given)} ${refused}`;
  }
  return (await isOurs(place, resolve)) ? "This is the service itself or its database" : undefined;
}

function refusalOfAddress(address: IpAddress, { isSecure }: TargetAddress): string | undefined {
  const [kind] = FORBIDDEN.find(([, all]) => isIn(all, address)) ?? [];
  if (kind) return `is ${kind}, which is never used`;
  const allowed = currentConfig()?.webhookAllow ?? [];
  const isListed = isIn(allowed, address);
  // Other addresses of this machine are listed by its loopback: their network may be that of others, too.
  const isHere = isIn(LOOPBACK, address)
    ? !isListed
    : isOfThisMachine(address) && !allowed.some((block) => isWithin(LOOPBACK, block));
  if (isHere) return "is this machine, which WEBHOOK_ALLOW does not list";
  if (isListed || isSecure) return undefined;
  return isIn(PRIVATE, address)
    ? "is reached by http only if WEBHOOK_ALLOW lists its network: use https"
    : "is reached by https only";
}

async function isOurs(place: TargetAddress, resolve: Resolve): Promise<boolean> {
  if (isPublic(place)) return true;
  const { addresses, port } = place;
  const own = await Promise.all(
    ownPlaces()
      .filter((one) => one.port === port)
      .map(addressesOf),
  );
  const used = own.flat();
  return addresses.map(innermost).some((address) => used.some((one) => isSame(one, address)));

  async function addressesOf({ host }: OwnPlace): Promise<IpAddress[]> {
    const names = await resolve(host).catch(() => []);
    const found = names.flatMap((name) => readAddress(name) ?? []).map(innermost);
    const isHere = found.some((one) => isUnspecified(one) || isIn(LOOPBACK, one));
    // Behind a host of its own it can be reached by each address of this machine.
    return isHere ? [...found, ...addressesOfThisMachine()] : found;
  }
}

/**
 * The name under which a proxy passes requests on to the service. Not its address, which other servers behind the proxy
 * have, too: under other names the service refuses requests.
 */
function isPublic({ name, port }: TargetAddress): boolean {
  const { publicUrl } = currentConfig() ?? {};
  if (!publicUrl || publicUrl.hostname !== name.replace(/\.$/, "")) return false;
  return port === portOf(publicUrl);
}

export function portOf({ protocol, port }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}

/** All of 127.0.0.0/8 is this machine. */
function isSame(one: IpAddress, other: IpAddress): boolean {
  if (one.family === other.family && one.value === other.value) return true;
  return isIn(LOOPBACK, one) && isIn(LOOPBACK, other);
}

function isUnspecified({ value }: IpAddress): boolean {
  return value === 0n;
}

interface OwnPlace {
  host: string;
  port: number;
}

const POSTGRES_PORT = 5432;

/** Where this service and its databases listen. */
function ownPlaces(): OwnPlace[] {
  const config = currentConfig();
  if (!config) return [];
  const urls = [config.databaseUrl, config.databaseReadUrl].flatMap((url) => url ?? []);
  const databases = urls.flatMap((url) => readDatabaseAddress(url)?.hosts ?? []);
  return [
    { host: config.host, port: config.port },
    ...databases.map(({ host, port }) => ({
      // Without a host, or with the directory of a socket, it is on this machine.
      host: host === "" || host.startsWith("/") ? "127.0.0.1" : host.replace(/^\[|\]$/g, ""),
      port: port === "" ? POSTGRES_PORT : Number(port),
    })),
  ];
}

function isOfThisMachine(address: IpAddress): boolean {
  return addressesOfThisMachine().some((one) => isSame(one, address));
}

function addressesOfThisMachine(): IpAddress[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((of) => of ?? []);
  return [...interfaces.map(({ address }) => address), "127.0.0.1"].flatMap((text) => {
    const address = readAddress(text.split("%")[0] ?? "");
    return address ? [innermost(address)] : [];
  });
}
