// Feeds for other programs, which poll them.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Caller } from "../../auth/auth.ts";
import { ENCODINGS, preferredEncoding } from "../../http/encoding.ts";
import * as feeds from "../../network/feeds/mod.ts";
import { answerFeed, type Feed } from "../../network/feeds/mod.ts";
import { parametersOf } from "../answers.ts";
import { guardOf } from "../guard.ts";

interface FeedRouteContext {
  request: Request;
  caller: Caller;
  search: URLSearchParams;
}

/** The response of a route that answers plain text, for OpenAPI. */
const TEXT = { 200: { description: "Text", content: { "text/plain": { schema: {} } } } };

/** Clients cache it and revalidate it: it is usually unchanged. */
const REVALIDATE = { "cache-control": "private, no-cache", vary: "authorization, accept-encoding" };

async function answerOf(
  feed: Feed,
  { request, caller, search }: FeedRouteContext,
): Promise<Response> {
  const { etag, body } = await answerFeed(caller, feed, {
    params: search,
    ifNoneMatch: request.headers.get("if-none-match"),
    encoding: preferredEncoding(request.headers.get("accept-encoding"), ENCODINGS),
  });
  // Weak: the bytes differ by their encoding.
  const headers = { ...REVALIDATE, etag: `W/${etag}` };
  if (body === undefined) return new Response(null, { status: 304, headers });
  const { content, encoding } = body;
  return new Response(content, {
    headers: {
      ...headers,
      "content-type": `${feed.type}; charset=utf-8`,
      ...(encoding && { "content-encoding": encoding }),
    },
  });
}

const tags = ["Network: feeds"];

/** The handler of a feed with a fixed path. */
function routeOf(feed: feeds.Feed) {
  return (context: FeedRouteContext) => answerOf(feed, context);
}

const strings = Type.Array(Type.String());
const anything = Type.Object({}, { additionalProperties: true });
const inventory = Type.Object(
  { _meta: Type.Object({ hostvars: Type.Record(Type.String(), anything) }) },
  {
    additionalProperties: true,
    description: "The dynamic inventory of a script for Ansible; besides, each group by its name",
  },
);
const targets = Type.Array(
  Type.Object({ targets: strings, labels: Type.Record(Type.String(), Type.String()) }),
  { description: "For http_sd_configs of Prometheus" },
);
const dhcp4 = Type.Object({ Dhcp4: Type.Object({ subnet4: Type.Array(anything) }) });
const zones = Type.Object({
  zones: Type.Array(
    Type.Object({
      name: Type.String(),
      kind: Type.Union([Type.Literal("forward"), Type.Literal("reverse")]),
      networks: strings,
    }),
  ),
});

export const exportRoutes = new Elysia({ prefix: "/network/export", normalize: false })
  .use(guardOf({ kinds: ["network"] }))
  .get("/ansible", routeOf(feeds.ansible), {
    allow: "everyone",
    response: { 200: inventory },
    detail: {
      operationId: "exportAnsible",
      summary: "Hosts, groups and variables for Ansible",
      tags,
      ...parametersOf(feeds.ansible.query),
    },
  })
  .get("/prometheus", routeOf(feeds.prometheus), {
    allow: "everyone",
    response: { 200: targets },
    detail: {
      operationId: "exportPrometheus",
      summary: "Hosts as targets for Prometheus",
      tags,
      ...parametersOf(feeds.prometheus.query),
    },
  })
  .get("/dns", routeOf(feeds.zones), {
    allow: "everyone",
    response: { 200: zones },
    detail: {
      operationId: "listZones",
      summary: "List the zones",
      tags,
      ...parametersOf(feeds.zones.query),
    },
  })
  .get("/dns/:zone", (context) => answerOf(feeds.zone(context.params.zone), context), {
    allow: "everyone",
    params: Type.Object({ zone: Type.String({ description: "A domain, or a reverse zone" }) }),
    detail: {
      operationId: "exportZone",
      summary: "A zone in the format of RFC 1035",
      tags,
      ...parametersOf(feeds.zone("example.org").query),
      responses: TEXT,
    },
  })
  .get("/dhcp/kea", routeOf(feeds.kea), {
    allow: "everyone",
    response: { 200: dhcp4 },
    detail: {
      operationId: "exportKea",
      summary: "Subnets and reservations for Kea",
      tags,
      ...parametersOf(feeds.kea.query),
    },
  })
  .get("/dhcp/dnsmasq", routeOf(feeds.dnsmasq), {
    allow: "everyone",
    detail: {
      operationId: "exportDnsmasq",
      summary: "Ranges and hosts for dnsmasq",
      tags,
      ...parametersOf(feeds.dnsmasq.query),
      responses: TEXT,
    },
  })
  .get("/hosts", routeOf(feeds.hostsFile), {
    allow: "everyone",
    detail: {
      operationId: "exportHostsFile",
      summary: "Lines of /etc/hosts",
      tags,
      ...parametersOf(feeds.hostsFile.query),
      responses: TEXT,
    },
  });
