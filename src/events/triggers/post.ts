// Any server that takes a POST: its answer is the result.
import type { Product } from "./product.ts";
import { type Json, render } from "./template.ts";

export const post: Product = {
  launch({ url, settings, secret }, values) {
    const { body = null, headers = {}, secret_header = "authorization" } = settings;
    return {
      url,
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(headers as Record<string, string>),
        ...(secret !== undefined && { [secret_header.toLowerCase()]: secret }),
      },
      body: JSON.stringify(render(body as Json, values as unknown as Json)),
    };
  },

  launched: () => ({ status: "succeeded" }),

  look: ({ url }) => ({ url, method: "GET", headers: {} }),

  seen: () => ({ status: "succeeded" }),
};
