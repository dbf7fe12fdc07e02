// GET /live: tells open pages what others change, as Server-Sent Events. It ends with the session, and does not keep it alive.
// A page begins with the age of its contents in seconds, or after the last change that it has heard of.
import { Elysia } from "elysia";
import { lastEventId, openChanges } from "../src/events/stream/open.ts";
import { forPages } from "../src/events/stream/pages.ts";
import { readCursor } from "../src/input/change_ids.ts";
import { guard } from "./request/guard.ts";

const OLDEST = 86_400;

export const livePages = new Elysia({ normalize: false }).use(guard).get(
  "/live",
  ({ request, caller, search }) => {
    const after = lastEventId(request) ?? readCursor(search.get("after") ?? "");
    const age = secondsIn(search.get("age") ?? "");
    const view = { caller, filters: {}, format: forPages };
    return openChanges(request, view, after, age && Math.min(age, OLDEST));
  },
  { listen: "everyone" },
);

function secondsIn(text: string): number | undefined {
  return /^[0-9]{1,9}(\.[0-9]{1,3})?$/.test(text) ? Number(text) : undefined;
}
