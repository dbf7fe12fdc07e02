// A small S3 server: objects in memory, ranges, uploads in parts, and the signature of every request is checked.
import { createHmac } from "node:crypto";

export const KEY = { id: "test-key", secret: "test-secret-0123456789" };
export const BUCKET = "backups";
const REGION = "auto";

export interface S3Server {
  origin: string;
  /** By their keys. */
  objects: Map<string, Uint8Array>;
  /** Uploads that were begun and neither completed nor given up. */
  uploads: Map<string, Map<number, Uint8Array>>;
  /** How many parts each completed upload had. */
  parts: Map<string, number>;
  /** Refuses parts from now on. */
  refuseParts(): void;
  /** Called for each request: when it has come, and when what it asks for is done. */
  watch(look: (when: "before" | "after") => unknown): void;
  /** No server answers, until it is back with the same objects. */
  goAway(): Promise<void>;
  comeBack(): void;
  stop(): Promise<void>;
}

export function anS3Server(): S3Server {
  const objects: S3Server["objects"] = new Map();
  const uploads: S3Server["uploads"] = new Map();
  const parts: S3Server["parts"] = new Map();
  let refusesParts = false;
  let look: Parameters<S3Server["watch"]>[0] = () => {};

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const refusal = refusalOf(request, url);
    if (refusal) return problem(403, refusal);
    const [, bucket = "", ...rest] = url.pathname.split("/");
    if (bucket !== BUCKET) return problem(404, "NoSuchBucket");
    const key = decodeURIComponent(rest.join("/"));
    const body = new Uint8Array(await request.arrayBuffer());
    if (url.searchParams.has("list-type"))
      return xml(listing(url.searchParams.get("prefix") ?? ""));
    const upload = url.searchParams.get("uploadId");
    const number = url.searchParams.get("partNumber");
    if (request.method === "POST" && url.searchParams.has("uploads")) {
      const id = String(uploads.size + 1);
      uploads.set(id, new Map());
      const place = `<Bucket>${BUCKET}</Bucket><Key>${key}</Key>`;
      return xml(
        `<InitiateMultipartUploadResult>${place}<UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (upload && number) {
      if (refusesParts) return problem(500, "InternalError");
      uploads.get(upload)?.set(Number(number), body);
      return new Response(null, { headers: { etag: `"${number}"` } });
    }
    if (request.method === "POST" && upload) {
      const found = [...(uploads.get(upload) ?? [])].toSorted(([one], [other]) => one - other);
      objects.set(key, new Uint8Array(Buffer.concat(found.map(([, content]) => content))));
      parts.set(key, found.length);
      uploads.delete(upload);
      return xml(
        `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`,
      );
    }
    if (request.method === "PUT") {
      objects.set(key, body);
      return new Response(null, { headers: { etag: '"x"' } });
    }
    if (request.method === "DELETE") {
      if (upload) uploads.delete(upload);
      else objects.delete(key);
      return new Response(null, { status: 204 });
    }
    const content = objects.get(key);
    return content ? sent(content, request) : problem(404, "NoSuchKey");
  }

  function listing(prefix: string): string {
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`);
    const head = `<Name>${BUCKET}</Name><Prefix>${prefix}</Prefix><IsTruncated>false</IsTruncated>`;
    return `<ListBucketResult>${head}${contents.join("")}</ListBucketResult>`;
  }

  const serve = (port: number) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port,
      fetch: async (request) => {
        await look("before");
        const answered = await answer(request);
        await look("after");
        return answered;
      },
    });
  let server = serve(0);
  const { origin, port } = server.url;
  return {
    origin,
    objects,
    uploads,
    parts,
    refuseParts: () => {
      refusesParts = true;
    },
    watch: (next) => {
      look = next;
    },
    goAway: () => server.stop(true),
    comeBack: () => {
      server = serve(Number(port));
    },
    stop: () => server.stop(true),
  };
}

/** By version 4 of the signatures of AWS. */
function refusalOf(request: Request, url: URL): string | null {
  const header = request.headers.get("authorization") ?? "";
  const [, id, day = "", names = "", signature] =
    /Credential=([^/]+)\/(\d{8})\/[^,]+, ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(header) ??
    [];
  if (id !== KEY.id) return "InvalidAccessKeyId";
  const query = url.search.slice(1).split("&").filter(Boolean).toSorted().join("&");
  const headers = names.split(";").map((name) => `${name}:${request.headers.get(name)}\n`);
  const canonical = [
    request.method,
    url.pathname,
    query,
    headers.join(""),
    names,
    request.headers.get("x-amz-content-sha256"),
  ].join("\n");
  const scope = `${day}/${REGION}/s3/aws4_request`;
  const digest = new Bun.CryptoHasher("sha256").update(canonical).digest("hex");
  const text = ["AWS4-HMAC-SHA256", request.headers.get("x-amz-date"), scope, digest].join("\n");
  const key = [day, REGION, "s3", "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${KEY.secret}`,
  );
  const expected = createHmac("sha256", key).update(text).digest("hex");
  return signature === expected ? null : "SignatureDoesNotMatch";
}

function sent(content: Uint8Array, { headers }: Request): Response {
  const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.get("range") ?? "") ?? [];
  if (!from) return new Response(content.slice());
  return new Response(content.slice(Number(from), Number(last) + 1), { status: 206 });
}

function xml(text: string): Response {
  return new Response(`<?xml version="1.0"?>${text}`, {
    headers: { "content-type": "application/xml" },
  });
}

/** The message has the key, as that of AWS does. */
function problem(status: number, code: string): Response {
  const text = `<Error><Code>${code}</Code><Message>About ${KEY.id} ${KEY.secret}</Message></Error>`;
  return new Response(text, { status, headers: { "content-type": "application/xml" } });
}
