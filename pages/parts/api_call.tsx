import { Snippet } from "./snippet.tsx";

/** The API request that returns the data of the page. */
export function ApiCall({ address }: { address: string }) {
  return (
    <details class="api">
      <summary>API</summary>
      <Snippet text={`curl -H "Authorization: Bearer $TOKEN" "${address}"`} />
    </details>
  );
}
