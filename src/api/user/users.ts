import { Elysia } from "elysia";
import { reachOf } from "../../auth/token_limits.ts";
import * as answer from "../../http/answers.ts";
import { NO_QUERY, readQuery } from "../../input/query.ts";
import { recordOf } from "../../store/resource.ts";
import { user } from "../../user/user.ts";
import * as users from "../../user/users.ts";
import { parametersOf, recordResponse, writeQuery } from "../answers.ts";
import { guardOf } from "../guard.ts";
import { routesOf } from "../resource.ts";

const tag = "User";

export const profileRoutes = new Elysia({ prefix: "/user/profile", normalize: false })
  .use(guardOf(reachOf(user)))
  .get(
    "",
    async ({ request, caller, search }) => {
      readQuery(NO_QUERY, search);
      return answer.record(request, await users.find(caller, caller.id ?? 0));
    },
    {
      allowCaller: "everyone",
      response: recordResponse(recordOf(user)),
      detail: { operationId: "getProfile", summary: "Your own record", tags: [tag] },
    },
  )
  .patch("", async ({ caller, body }) => answer.changed(await users.updateProfile(caller, body)), {
    allow: "everyone",
    body: users.changedProfile,
    response: recordResponse(recordOf(user)),
    detail: {
      operationId: "updateProfile",
      summary: "Change your own record or password",
      tags: [tag],
      ...parametersOf(writeQuery),
    },
  });

export const userRoutes = routesOf(user, {
  area: users,
  created: users.newUser,
  changed: users.changedUser,
  tag,
  settable: {
    changed: users.changedDetails,
    secrets: ["password"],
    query: () => ({ visible: users.active }),
  },
  summaries: { remove: "Deactivate a user" },
});
