// The encodings in which clients accept a response.

/** A response with fewer characters fits into a packet, compressed or not. */
export const LEAST_COMPRESSED = 1_400;

/** Of what is made for a request, the one that is made faster first. */
export const ENCODINGS = ["zstd", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The first of these encodings that the header Accept-Encoding names. */
export function preferredEncoding<Known extends string>(
  acceptEncoding: string | null,
  encodings: readonly Known[],
): Known | undefined {
  const accepted = new Set(
    (acceptEncoding ?? "")
      .toLowerCase()
      .split(",")
      .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
      .map((part) => part.replace(/;.*/, "").trim()),
  );
  return encodings.find((encoding) => accepted.has(encoding));
}
