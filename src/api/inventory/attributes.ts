import { Elysia } from "elysia";
import * as attributes from "../../inventory/attributes/attributes.ts";
import {
  byId,
  dryRunParameters,
  listOf,
  listParameters,
  made,
  removed,
  shown,
  writeParameters,
} from "../answers.ts";
import { door } from "../guard.ts";
import { create, find, list, remove, update } from "../handlers.ts";

const { attribute, newAttribute, changedAttribute } = attributes;
const EDITORS = ["inventory", "admin"] as const;

export function attributeRoutes(of: attributes.Kind) {
  const tags = [`Inventory: ${of.plural}`];
  const routes = new Elysia({ prefix: `/inventory/${of.plural}`, normalize: false })
    .use(door)
    .get(
      "",
      list((caller, params) => attributes.list(caller, of, params)),
      {
        allow: "everyone",
        response: listOf(attribute),
        detail: { summary: `List ${of.plural}`, tags, ...listParameters(of.resource.fields) },
      },
    )
    .get(
      "/:id",
      find((caller, id) => attributes.find(caller, of, id)),
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
      create((caller, input: attributes.NewAttribute) => attributes.create(caller, of, input)),
      {
        allow: EDITORS,
        body: newAttribute,
        response: made(attribute),
        detail: { summary: `Add a ${of.name}`, tags, ...writeParameters },
      },
    )
    .patch(
      "/:id",
      update((caller, id, input: attributes.ChangedAttribute) =>
        attributes.update(caller, { of, id }, input),
      ),
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
      remove((caller, id) => attributes.remove(caller, of, id)),
      {
        allow: ["admin"],
        params: byId,
        response: removed,
        detail: { summary: `Delete a ${of.name} that nothing uses`, tags, ...dryRunParameters },
      },
    );
}
