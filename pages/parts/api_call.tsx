import { precompiled } from "./precompiled_markup.ts";
import { Snippet } from "./snippet.tsx";

/** The API request that returns the data of the page. */
export const ApiCall = precompiled<{ address: string }>(({ address }) => (
  <details class="api">
    <summary>API</summary>
    <Snippet text={`curl -H "Authorization: Bearer $TOKEN" "${address}"`} />
  </details>
));
