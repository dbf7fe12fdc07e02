import { Elysia } from "elysia";
import * as answer from "../../answer.ts";
import * as attributes from "../../inventory/attributes.ts";
import { onlyParams } from "../../records.ts";
import {
  byId,
  idOf,
  listOf,
  listParameters,
  made,
  removed,
  shown,
  writeParameters,
} from "../answers.ts";
import { door } from "../door.ts";

const { attribute, newAttribute, changedAttribute } = attributes;
const EDITORS = ["inventory", "admin"] as const;

export function attributeRoutes(of: attributes.Kind) {
  const tags = [`Inventory: ${of.plural}`];
  const routes = new Elysia({ prefix: `/inventory/${of.plural}`, normalize: false })
    .use(door)
    .get(
      "",
      async ({ request, caller, search }) =>
        answer.list(request, await attributes.list(caller, of, search)),
      {
        allow: "everyone",
        response: listOf(attribute),
        detail: { summary: `List ${of.plural}`, tags, ...listParameters(of.resource.fields) },
      },
    )
    .get(
      "/:id",
      async ({ request, caller, search, params }) => {
        onlyParams(search, []);
        return answer.record(request, await attributes.find(caller, of, idOf(params.id)));
      },
      {
        allow: "everyone",
        params: byId,
        response: shown(attribute),
        detail: { summary: `One ${of.name}`, tags },
      },
    );
  if (of.name === "action") return routes;
  return routes
    .post(
      "",
      async ({ caller, body }) => answer.created(await attributes.create(caller, of, body)),
      {
        allow: EDITORS,
        body: newAttribute,
        response: made(attribute),
        detail: { summary: `Add a ${of.name}`, tags, ...writeParameters },
      },
    )
    .patch(
      "/:id",
      async ({ caller, params, body }) =>
        answer.changed(await attributes.update(caller, { of, id: idOf(params.id) }, body)),
      {
        allow: EDITORS,
        params: byId,
        body: changedAttribute,
        response: shown(attribute),
        detail: { summary: `Change a ${of.name}`, tags, ...writeParameters },
      },
    )
    .delete(
      "/:id",
      async ({ caller, params }) => {
        await attributes.remove(caller, of, idOf(params.id));
        return answer.gone();
      },
      {
        allow: ["admin"],
        params: byId,
        response: removed,
        detail: { summary: `Delete a ${of.name} that nothing uses`, tags, ...writeParameters },
      },
    );
}
