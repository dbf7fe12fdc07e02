// POST /network/_validate/(field): checks a field of a host or an interface while the user types. GET
// /network/_generate_random_mac.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { notFound } from "../../src/input/errors.ts";
import { keyIn } from "../../src/input/keys.ts";
import { macsOn } from "../../src/network/hosts/choices.ts";
import * as checks from "../../src/network/hosts/form_checks.ts";
import { EDITORS } from "../../src/network/hosts/view.ts";
import { newEntry } from "../../src/network/interfaces/form_input.ts";
import { networkInterface } from "../../src/network/interfaces/interface.ts";
import { randomMac } from "../../src/network/interfaces/random_mac.ts";
import { find } from "../../src/store/crud.ts";
import { rowOf } from "../../src/store/records.ts";
import { fragment, isHtmx } from "../layout/page.tsx";
import { blank } from "../parts/forms.tsx";
import { Suggestions } from "../parts/typeahead.tsx";
import { field } from "../request/form_values.ts";
import { useHx } from "../request/frame.ts";
import { guard } from "../request/guard.ts";
import { AddressField, CheckNote, type EditedConnection, MacField } from "./connection.tsx";

export const checkPages = new Elysia({ prefix: "/network", normalize: false })
  .use(guard)
  .post(
    "/_validate/:field",
    ({ request, caller, params, search, form }) => {
      const check = CHECKS.get(params.field);
      if (!check) throw notFound();
      const entered = { ...textsIn(form), ...subjectIn(search) };
      return check(request, caller, { entered, form });
    },
    { see: EDITORS },
  )
  .get(
    "/_generate_random_mac",
    async ({ request, search }) => {
      const mac = await randomMac();
      if (!isHtmx(request)) return Response.json({ data: { mac } });
      return fragment(
        request,
        <MacField filled={blank(newEntry, { mac })} of={subjectIn(search)} />,
      );
    },
    { see: "everyone" },
  );

interface CheckRequest {
  entered: checks.EnteredInterface;
  form: FormData;
}

type CheckHandler = (request: Request, caller: Caller, checked: CheckRequest) => Promise<Response>;

const CHECKS = new Map<string, CheckHandler>([
  [
    "name",
    async (request, caller, { entered }) =>
      fragment(
        request,
        <CheckNote field="name" verdict={await checks.checkName(caller, entered)} />,
      ),
  ],
  [
    "ip",
    async (request, caller, { entered }) =>
      fragment(
        request,
        <CheckNote field="ip" verdict={await checks.checkAddress(caller, entered)} />,
      ),
  ],
  [
    "mac",
    async (request, caller, { entered }) =>
      fragment(request, <CheckNote field="mac" verdict={await checks.checkMac(caller, entered)} />),
  ],
  ["network", checkNetwork],
  [
    "items",
    async (request, _caller, { form }) =>
      fragment(request, <Suggestions id="field-mac" names={await macsOn(itemIdsIn(form))} />),
  ],
]);

/** Another network: proposes its first free address and checks name and MAC address again. */
async function checkNetwork(
  request: Request,
  caller: Caller,
  { entered: sent }: CheckRequest,
): Promise<Response> {
  const now = sent.interface ? await currentState(caller, sent.interface) : undefined;
  const proposal = await checks.proposeIn(caller, sent.network);
  const isBack = now !== undefined && now.network === proposal?.network.vlan_name;
  const ip = isBack ? now.ip : (proposal?.ip ?? "");
  const entered = { ...sent, ip };
  const [name, mac] = await Promise.all([
    checks.checkName(caller, entered),
    checks.checkMac(caller, entered),
  ]);
  const to = proposal?.network.domain;
  const filled = blank(newEntry, { ip });
  return fragment(
    request,
    <>
      <AddressField filled={filled} of={subjectOf(sent)} proposal={isBack ? undefined : proposal}>
        {now && to && now.domain !== to && <DnsNote name={now.name} from={now.domain} to={to} />}
      </AddressField>
      <OtherChecks name={name} mac={mac} />
    </>,
  );
}

function OtherChecks({ name, mac }: { name: checks.FieldCheck; mac: checks.FieldCheck }) {
  const hx = useHx();
  const more = hx({ "swap-oob": "true" });
  return (
    <>
      <CheckNote field="name" verdict={name} more={more} />
      <CheckNote field="mac" verdict={mac} more={more} />
    </>
  );
}

function DnsNote({ name, from, to }: { name: string; from: string; to: string }) {
  return (
    <p class="note warn" role="status">
      In DNS <span class="mono">{`${name}.${from}`}</span> becomes{" "}
      <span class="mono">{`${name}.${to}`}</span>. Cnames keep their full names.
    </p>
  );
}

async function currentState(caller: Caller, id: number) {
  const { name, network, domain, ip } = rowOf(await find(networkInterface, caller, id));
  return { name, network, domain, ip };
}

function textsIn(form: FormData) {
  const [name, network, ip, mac] = ["name", "network", "ip", "mac"].map((one) => field(form, one));
  return { name: name ?? "", network: network ?? "", ip: ip ?? "", mac: mac ?? "" };
}

function itemIdsIn(form: FormData): string[] {
  return form.getAll("items").map((one) => String(one).trim().toUpperCase());
}

function subjectOf({ host, interface: one }: checks.EnteredInterface): EditedConnection {
  return { ...(host ? { host } : {}), ...(one ? { interface: one } : {}) };
}

function subjectIn(search: URLSearchParams): EditedConnection {
  const key = (name: string) => {
    const id = keyIn(search.get(name) ?? "");
    return id === undefined ? {} : { [name]: id };
  };
  return { ...key("host"), ...key("interface") };
}
