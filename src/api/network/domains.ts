import { Elysia } from "elysia";
import { machine } from "../../auth.ts";
import * as domains from "../../network/domains.ts";
import * as past from "../../network/past.ts";
import {
  byId,
  listOf,
  listParameters,
  made,
  readParameters,
  removed,
  shown,
  writeParameters,
} from "../answers.ts";
import { door } from "../door.ts";
import { create, list, look, remove } from "../handlers.ts";

const tags = ["Network: domains"];
const EDITORS = ["admin"] as const;
const { domain, newDomain } = domains;

export const domainRoutes = new Elysia({ prefix: "/network/domains", normalize: false })
  .use(door)
  .get("", list(domains.list), {
    allow: "everyone",
    response: listOf(domain),
    detail: {
      summary: "List domains",
      tags,
      ...listParameters(domains.domainResource(machine).fields),
    },
  })
  .post("", create(domains.create), {
    allow: EDITORS,
    body: newDomain,
    response: made(domain),
    detail: { summary: "Add a domain", tags, ...writeParameters },
  })
  .get("/:id", look(domains.find, past.findDomain), {
    allow: "everyone",
    params: byId,
    response: shown(domain),
    detail: { summary: "One domain", tags, ...readParameters },
  })
  .delete("/:id", remove(domains.remove), {
    allow: EDITORS,
    params: byId,
    response: removed,
    detail: { summary: "Delete a domain", tags, ...writeParameters },
  });
