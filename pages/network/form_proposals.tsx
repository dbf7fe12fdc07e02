// GET /network/_retrieve_…: proposals for the forms of networks and interfaces, as JSON or, for htmx, as parts of the
// form.
import { Elysia } from "elysia";
import { notFound } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import * as proposals from "../../src/network/networks/form_proposals.ts";
import { namesLike } from "../../src/network/scopes/choices.ts";
import * as freeSpace from "../../src/network/scopes/free_space.ts";
import { fragment, isHtmx } from "../layout/page.tsx";
import { guard } from "../request/guard.ts";

const ADMINS = ["admin"] as const;

export const proposalPages = new Elysia({ prefix: "/network", normalize: false })
  .use(guard)
  .get(
    "/_retrieve_first_available_ip/:network_id",
    async ({ request, caller, params }) => {
      const ip = await proposals.firstFree(caller, keyNamed(params.network_id));
      if (!isHtmx(request)) return Response.json({ data: ip });
      return fragment(
        request,
        <input id="field-ip" name="ip" class="mono" value={ip} autocomplete="off" />,
      );
    },
    { see: "everyone" },
  )
  .get(
    "/_retrieve_ips/:subnet/:prefix",
    async ({ request, caller, params }) => {
      const prefix = wholeNumber(params.prefix);
      const data = await proposals.addressesOf(caller, params.subnet, prefix);
      return isHtmx(request)
        ? fragment(request, <Options values={data.ips} />)
        : Response.json({ data });
    },
    { see: "everyone" },
  )
  .get(
    "/_retrieve_scope_defaults/:scope_id",
    async ({ request, params }) => {
      const data = await freeSpace.defaultsOf(keyNamed(params.scope_id));
      if (!isHtmx(request)) return Response.json({ data });
      return fragment(request, <Options values={data.vlans} selected={data.selected_vlan} />);
    },
    { see: ADMINS },
  )
  .get(
    "/_retrieve_subnets/:scope_id/:prefix",
    async ({ request, params }) => {
      const data = await freeSpace.subnetsOf(keyNamed(params.scope_id), wholeNumber(params.prefix));
      if (!isHtmx(request)) return Response.json({ data });
      return fragment(request, <Options values={data.subnets} selected={data.selected_subnet} />);
    },
    { see: ADMINS },
  )
  .get(
    "/_retrieve_names/:kind",
    async ({ params, search }) =>
      Response.json({ data: await namesLike(params.kind, search.get("q") ?? "") }),
    { see: "everyone" },
  );

interface OptionsProps {
  values: Array<string | number>;
  selected?: string | number | null;
}

function Options({ values, selected }: OptionsProps) {
  return (
    <>
      {values.map((value) => (
        <option value={value} selected={value === selected}>
          {value}
        </option>
      ))}
    </>
  );
}

function wholeNumber(text: string): number {
  if (!/^[0-9]{1,10}$/.test(text)) throw notFound();
  return Number(text);
}
