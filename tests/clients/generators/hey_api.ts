// The same task by the client of hey-api.
import { client } from "./hey_api/client.gen.ts";
import { createLocation, listLocations, putLocation } from "./hey_api/index.ts";

const { URL: baseUrl = "", TOKEN = "" } = process.env;
client.setConfig({
  baseUrl,
  auth: () => TOKEN,
  // `lookups` is an object of parameters.
  querySerializer: { object: { explode: true, style: "form" } },
});

const made = await createLocation({ body: { name: "Hall A" } });
const again = await putLocation({ path: { name: "Hall A" }, body: { description: "Big" } });
const listed = await listLocations({
  query: { name: ["Hall A", "Hall B"], lookups: { description__contains: "big" }, per_page: 5 },
});
const refused = await createLocation({ body: { name: "Hall A" } });
console.log(
  JSON.stringify({
    made: made.data?.name,
    put: again.response?.status,
    found: Array.isArray(listed.data) ? listed.data.map(({ description }) => description) : [],
    code: refused.error && "code" in refused.error ? refused.error.code : undefined,
  }),
);
