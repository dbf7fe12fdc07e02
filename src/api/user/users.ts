import { Elysia } from "elysia";
import * as answer from "../../http/answers.ts";
import { visitOf } from "../../http/visit.ts";
import { NO_QUERY, readQuery } from "../../input/query.ts";
import { listQuery } from "../../store/list_query.ts";
import * as users from "../../user/users.ts";
import {
  byId,
  dryRunQuery,
  listOf,
  made,
  parametersOf,
  removed,
  shown,
  writeQuery,
} from "../answers.ts";
import { door } from "../guard.ts";
import { create, find, list, remove, update } from "../handlers.ts";

const tags = ["User"];
const { user, newUser, changedUser, changedProfile } = users;

export const userRoutes = new Elysia({ prefix: "/user", normalize: false })
  .use(door)
  .get(
    "/profile",
    async ({ request, caller, search }) => {
      readQuery(NO_QUERY, search);
      return answer.record(request, await users.find(caller, caller.id ?? 0));
    },
    {
      allow: "everyone",
      response: shown(user),
      detail: { summary: "Your own record", tags },
    },
  )
  .patch(
    "/profile",
    async ({ request, caller, body }) =>
      answer.changed(await users.updateProfile(caller, body, visitOf(request).address)),
    {
      allow: "everyone",
      body: changedProfile,
      response: shown(user),
      detail: { summary: "Change your own record or password", tags, ...parametersOf(writeQuery) },
    },
  )
  .get("/users", list(users.list), {
    allow: "everyone",
    response: listOf(user),
    detail: { summary: "List users", tags, ...parametersOf(listQuery(users.listFields)) },
  })
  .post("/users", create(users.create), {
    allow: ["admin"],
    body: newUser,
    response: made(user),
    detail: { summary: "Add a user", tags, ...parametersOf(writeQuery) },
  })
  .get("/users/:id", find(users.find), {
    allow: "everyone",
    params: byId,
    response: shown(user),
    detail: { summary: "One user", tags },
  })
  .patch("/users/:id", update(users.update), {
    allow: ["admin"],
    params: byId,
    body: changedUser,
    response: shown(user),
    detail: { summary: "Change a user", tags, ...parametersOf(writeQuery) },
  })
  .delete("/users/:id", remove(users.remove), {
    allow: ["admin"],
    params: byId,
    response: removed,
    detail: { summary: "Deactivate a user", tags, ...parametersOf(dryRunQuery) },
  });
