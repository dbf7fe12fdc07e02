// Suggestions for a search that finds nothing.

import type { Offers } from "../../src/search/suggest/did_you_mean.ts";
import type { Hint } from "../../src/search/suggest/hints.ts";
import { withParams } from "../request/url_parameters.ts";

interface ListAddress {
  path: string;
  params: URLSearchParams;
}

/** Other queries for a search that found nothing. */
export function DidYouMean({ offers, path, params }: ListAddress & { offers: Offers }) {
  const { any, all, corrected } = offers;
  const to = (q: string) => withParams(path, params, { q, page: null });
  return (
    <>
      {corrected.length > 0 && (
        <p>
          Did you mean{" "}
          {corrected.map((q, at) => (
            <>
              {at > 0 && " or "}
              <a href={to(q)}>{q}</a>
            </>
          ))}
          ?
        </p>
      )}
      {(any || all) && (
        <p>
          Search for {all && <a href={to(all)}>all of these words</a>}
          {all && any && " or for "}
          {any && <a href={to(any)}>{all ? "any of them" : "any of these words"}</a>}
        </p>
      )}
    </>
  );
}

/** An unknown field, and a link to the corrected query. */
export function FieldHint({ message, query, path, params }: Hint & ListAddress) {
  const corrected = query && (
    <>
      . Search for <a href={withParams(path, params, { q: query, page: null })}>{query}</a>
    </>
  );
  return (
    <p class="hint">
      {message}
      {corrected}
    </p>
  );
}
