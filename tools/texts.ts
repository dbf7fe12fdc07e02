// Prints every text of every page in one list, each with the first page that has it: to be read aloud by somebody who did
// not write them. Of pages that differ by a record only, such as /network/hosts/view/web-01, it visits two.
//   bun tools/texts.ts http://127.0.0.1:3000 alice <password_file
const [base = "", username = ""] = process.argv.slice(2);
const password = (await Bun.stdin.text()).trim();
if (!base || !username || !password) {
  console.error("Usage: bun tools/texts.ts ADDRESS USERNAME, with the password on standard input");
  process.exit(1);
}

/** Texts that are not between tags. */
const ATTRIBUTES = ["title", "placeholder", "aria-label", "alt", "data-confirm"];
/** Values of records stand in these, and drawings. */
const VALUES = /<(td|dd|option|pre|svg|textarea)\b.*?<\/\1>/gs;
/** They are parts of a sentence. */
const INLINE = ["a", "b", "code", "em", "i", "kbd", "mark", "small", "span", "strong", "time"];
const MOST_OF_A_KIND = 2;

const cookie = await logIn();
const texts = new Map<string, string>();
const visits = new Map<string, number>();
const waiting = ["/"];
for (const path of waiting) await visit(path);
for (const [text, path] of [...texts].toSorted(([one], [other]) => one.localeCompare(other, "en")))
  console.log(`${text}\t${path}`);

async function logIn(): Promise<string> {
  const answer = await fetch(`${base}/user/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: base, "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ username, password }),
  });
  if (answer.status !== 303) throw new Error(`The login was answered with ${answer.status}`);
  return answer.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}

async function visit(path: string): Promise<void> {
  const answer = await fetch(base + path, { headers: { cookie } });
  if (!answer.headers.get("content-type")?.startsWith("text/html")) return;
  const html = await answer.text();
  let sentence = "";
  const add = (text: string) => {
    const clean = text.replace(/\s+/g, " ").replace(/\d+/g, "0").trim();
    if (/\p{L}{2}/u.test(clean) && !texts.has(clean)) texts.set(clean, path);
  };
  new HTMLRewriter()
    .on("body *", {
      element(element) {
        for (const name of ATTRIBUTES) add(element.getAttribute(name) ?? "");
        const href = element.tagName === "a" ? element.getAttribute("href") : null;
        if (href?.startsWith("/")) follow(href);
        if (INLINE.includes(element.tagName)) return;
        add(sentence);
        sentence = "";
      },
      text({ text }) {
        sentence += text;
      },
    })
    .transform(html.replace(VALUES, ""));
  add(sentence);
}

function follow(href: string): void {
  const [path = "/"] = href.replaceAll("&amp;", "&").split(/[?#]/);
  if (/^\/(api|static|user\/logout|help\/)|export|\.(csv|ics|xml)$/.test(path)) return;
  const kind = path
    .replace(/\/(view|edit|changes|comment|create|deliveries)\/[^/]+/g, "/$1/*")
    .replace(/\d+/g, "*");
  const seen = visits.get(kind) ?? 0;
  if (seen >= MOST_OF_A_KIND || visits.has(` ${path}`)) return;
  visits.set(kind, seen + 1).set(` ${path}`, 1);
  waiting.push(path);
}

export {};
