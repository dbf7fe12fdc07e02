import { describe, expect, test } from "bun:test";
import { type Browser, browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { ended, JSON_ONLY, working } from "../support/jobs.ts";
import { alice, anItem, audrey, bob, carol, stranger } from "../support/mod.ts";

async function begin(own: Browser): Promise<number> {
  const { body } = await own.get("/inventory/items/_generate_excel_file", JSON_ONLY);
  return body.id;
}

async function finished(own: Browser) {
  await anItem();
  return working(async () => ended(own, await begin(own)));
}

describe("GET /status/(job_id)", () => {
  test("returns JSON, unless a page is requested", async () => {
    const own = await browser(carol);
    const job = await finished(own);
    const day = new Date().toISOString().slice(0, 10);
    for (const accept of ["application/json", "*/*", ""]) {
      const answer = await own.get(`/status/${job.id}`, { headers: { accept } });
      expect(answer.headers.get("content-type"), `accept: ${accept}`).toStartWith(
        "application/json",
      );
      expect(answer.headers.get("cache-control"), `accept: ${accept}`).toBe("no-store");
      expect(answer.body, `accept: ${accept}`).toEqual({
        id: job.id,
        name: "Export of items",
        status: "finished",
        progress: 100,
        message: "1 item",
        result: `/status/${job.id}/items-${day}.xlsx`,
      });
    }
  });

  test("is allowed for its owner and for admins; others get 404", async () => {
    const { id, result } = await finished(await browser(carol));
    expect((await (await browser(alice)).get(`/status/${id}`, JSON_ONLY)).status).toBe(200);
    const headers = { accept: "application/json", "x-request-id": "the-same-one" };
    for (const person of [audrey, bob]) {
      const other = await browser(person);
      for (const path of [`/status/${id}`, result]) {
        const hidden = await other.get(path, { headers });
        const unknown = await other.get(path.replace(String(id), "2147483647"), { headers });
        expect([hidden.status, hidden.text], `${path} ${person.username}`).toEqual([
          404,
          unknown.text,
        ]);
      }
    }
    expect((await (await browser(stranger)).get(`/status/${id}`, JSON_ONLY)).status).toBe(401);
  });

  test("finds a job by its number only", async () => {
    const own = await browser(carol);
    for (const id of ["0", "-1", "1e3", "x", "99999999999", "%20"]) {
      expect([id, (await own.get(`/status/${id}`, JSON_ONLY)).status]).toEqual([id, 404]);
    }
  });

  test("is a page that works without scripting, and stops reloading once the job has ended", async () => {
    const own = await browser(carol);
    const id = await begin(own);
    const path = `/status/${id}`;
    const waiting = await own.get(path);
    expect(texts(waiting.text, "h1")).toEqual(["Export of items"]);
    expect(texts(waiting.text, ".job [role=status]")).toEqual(["Queued Waiting for other jobs"]);
    expect(waiting.text).toContain(
      `<noscript><meta http-equiv="refresh" content="2; url=${path}?waited=yes"/></noscript>`,
    );
    expect(elements(waiting.text, "progress")[0]?.attributes).toMatchObject({
      max: "100",
      value: "0",
    });
    const { result } = await working(() => ended(own, id));
    const done = await own.get(path);
    expect(elements(done.text, "noscript, progress, main [hx-get]")).toEqual([]);
    expect(elements(done.text, ".job a")[0]?.attributes.href).toBe(result);
  });

  test("returns the changing part to htmx, which polls until the job has ended", async () => {
    const own = await browser(carol);
    const path = `/status/${await begin(own)}`;
    const waiting = await own.get(path, { headers: HTMX });
    expect(elements(waiting.text, "html, h1")).toEqual([]);
    const [part] = elements(waiting.text, "section.job");
    expect(part?.attributes["hx-get"]).toBe(path);
    expect(part?.attributes["hx-trigger"]).toStartWith("load delay:");
    await finished(own);
    const done = await own.get(path, { headers: HTMX });
    expect(elements(done.text, "[hx-get], [hx-trigger]")).toEqual([]);
    expect(texts(done.text, ".job a")[0]).toStartWith("Download items-");
  });
});

describe("GET /status/(job_id)/(file)", () => {
  test("is an Excel file to save, under its name and no other", async () => {
    const own = await browser(carol);
    const { result } = await finished(own);
    const { status, headers } = await own.get(result);
    const name = result.split("/").at(-1);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    );
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename="${name}"; filename*=UTF-8''${name}`,
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect((await own.get(result.replace(name, "other.xlsx"))).status).toBe(404);
  });

  test("returns 404 before the job has finished", async () => {
    const own = await browser(carol);
    const id = await begin(own);
    expect((await own.get(`/status/${id}/items.xlsx`)).status).toBe(404);
    expect((await own.get(`/status/${id}/null`)).status).toBe(404);
  });
});
