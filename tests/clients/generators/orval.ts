// The same task by the client of orval, which leaves the address and the token to the caller.
import { createLocation, listLocations, putLocation } from "./orval/client.ts";

const { URL: baseUrl = "", TOKEN } = process.env;
const options = { headers: { authorization: `Bearer ${TOKEN}` } };
const ours = globalThis.fetch;
globalThis.fetch = Object.assign(
  (path: Parameters<typeof fetch>[0], init?: RequestInit) =>
    ours(new Request(`${baseUrl}${path}`, init)),
  ours,
);

const made = await createLocation({ name: "Hall A" }, undefined, options);
const again = await putLocation("Hall A", { description: "Big" }, undefined, options);
const listed = await listLocations({ name: ["Hall A", "Hall B"], per_page: 5 }, options);
const refused = await createLocation({ name: "Hall A" }, undefined, options);
console.log(
  JSON.stringify({
    made: made.status === 201 ? made.data.name : undefined,
    put: again.status,
    found: listed.status === 200 ? listed.data.map(({ description }) => description) : [],
    code: refused.status === 422 ? refused.data.code : undefined,
  }),
);
