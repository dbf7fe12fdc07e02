// A task by the types of openapi-typescript.
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi_typescript.ts";

const { URL: baseUrl = "", TOKEN } = process.env;
const client = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${TOKEN}` },
  // `lookups` is an object of parameters.
  querySerializer: {
    array: { style: "form", explode: true },
    object: { style: "form", explode: true },
  },
});

const made = await client.POST("/api/v1/inventory/locations", { body: { name: "Hall A" } });
const location: components["schemas"]["Location"] | undefined = made.data;
const again = await client.PUT("/api/v1/inventory/locations/by-name/{name}", {
  params: { path: { name: "Hall A" } },
  body: { description: "Big" },
});
const listed = await client.GET("/api/v1/inventory/locations", {
  params: {
    query: { name: ["Hall A", "Hall B"], lookups: { description__contains: "big" }, per_page: 5 },
  },
});
const refused = await client.POST("/api/v1/inventory/locations", { body: { name: "Hall A" } });
const code: components["schemas"]["Problem"]["code"] | undefined = refused.error?.code;
console.log(
  JSON.stringify({
    made: location?.name,
    put: again.response.status,
    found: listed.data?.map(({ description }) => description),
    code,
  }),
);
