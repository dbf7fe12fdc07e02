// What needs no login because its address is a secret or is signed: the feeds, and the link that ends mails.
import { Elysia } from "elysia";
import { readSigned } from "../../src/auth/sealed.ts";
import { FILES, isFeedFile, readFeed } from "../../src/events/notices/feeds.ts";
import { UNSUBSCRIBE } from "../../src/events/notices/mails.ts";
import { endMails } from "../../src/events/notices/watches.ts";
import { contextOf, visitOf } from "../../src/http/request_context.ts";
import { notFound, type Refusal } from "../../src/input/errors.ts";
import { keyIn } from "../../src/input/keys.ts";
import { countWrongSecret } from "../../src/user/throttle.ts";
import { page } from "../layout/page.tsx";
import { WATCHES } from "./notices_view.tsx";

const FEED = "/notices/feeds/:secret/:file";

export const openNoticePages = new Elysia({ normalize: false })
  .get(FEED, ({ request, params }) => feed(request, params))
  .get(`${UNSUBSCRIBE}/:link`, async ({ request, params }) => {
    contextOf(request).route = `${UNSUBSCRIBE}/:link`;
    await userOf(request, params.link);
    return page(request, { title: "Unsubscribe", kind: "login", body: <Ask /> });
  })
  .post(`${UNSUBSCRIBE}/:link`, ({ request, params }) => unsubscribe(request, params.link), {
    parse: () => null,
  });

interface FeedParams {
  secret: string;
  file: string;
}

async function feed(request: Request, { secret, file }: FeedParams): Promise<Response> {
  const context = contextOf(request);
  // Without the secret: for the log.
  context.route = FEED;
  if (!isFeedFile(file)) throw notFound();
  const text = await readFeed(secret, file, {
    origin: context.origin,
    visit: visitOf(request),
  });
  if (text === undefined) throw await wrongSecret(request);
  const etag = `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url")}"`;
  const headers = { etag, "cache-control": "private, no-cache", "referrer-policy": "no-referrer" };
  const known = request.headers.get("if-none-match");
  if (known && (known === "*" || known.includes(etag))) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(text, { headers: { ...headers, "content-type": FILES[file].type } });
}

/** One click of a mail program: RFC 8058. It sends no cookies, and the link proves who may do it. */
async function unsubscribe(request: Request, link: string | null): Promise<Response> {
  contextOf(request).route = `${UNSUBSCRIBE}/:link`;
  const user = await userOf(request, link);
  await endMails(user);
  return page(request, { title: "Unsubscribed", kind: "login", body: <Done /> });
}

async function userOf(request: Request, link: string | null): Promise<number> {
  const user = keyIn(readSigned(link ?? "", "unsubscribe") ?? "");
  if (user === undefined) throw await wrongSecret(request);
  return user;
}

/** The refusal of a wrong address, which is counted. */
async function wrongSecret(request: Request): Promise<Refusal> {
  await countWrongSecret(contextOf(request).address);
  return notFound();
}

function Ask() {
  return (
    <form class="sheet" method="post">
      <h1>No more mails?</h1>
      <p>You get no more mails about the changes of what you watch. Your feeds stay.</p>
      <div class="buttons">
        <button type="submit" class="primary">
          Unsubscribe
        </button>
      </div>
    </form>
  );
}

function Done() {
  return (
    <div class="sheet">
      <h1>Unsubscribed</h1>
      <p>
        You get no more of these mails. In <a href={WATCHES}>your watches</a> you can choose them
        again.
      </p>
    </div>
  );
}
