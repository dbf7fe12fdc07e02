import { Snippet } from "./snippet.tsx";

/** How a program asks for what a page shows. */
export function ApiCall({ address }: { address: string }) {
  return (
    <details class="api">
      <summary>API</summary>
      <Snippet text={`curl -H "Authorization: Bearer $TOKEN" "${address}"`} />
    </details>
  );
}
