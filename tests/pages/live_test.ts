// What open pages need to show the changes of others.
import { describe, expect, test } from "bun:test";
import { sources } from "../../pages/lists/sources.ts";
import { forgetCallers } from "../../src/auth/auth.ts";
import { resourceOf } from "../../src/resources.ts";
import { browser } from "../support/browser.ts";
import { aHiddenHost } from "../support/hidden.ts";
import { elements, texts } from "../support/html.ts";
import { aHost, alice, api, carol, dave, service } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

/** Users and comments: nobody is told of changes of users, and a comment is changed by its author alone. */
const WITHOUT_NOTICE = /^\/(admin|user)\/|\/comment\/edit\//;
const OF_A_RECORD = /^\/(inventory|network)\/(.+\/view\/|attributes\/\w+\/)(?!.*\/)/;

describe("an open page", () => {
  test("names the changes that concern it: a list, a record and a form that edits one", async () => {
    const paths = (await aSite()).filter((path) => /^\/(inventory|network)\/[^?]+$/.test(path));
    const own = await browser(alice);
    for (const path of paths) {
      const { text } = await own.get(path);
      const list = sources.get(path)?.resource.name ?? "";
      const [main] = elements(text, "main");
      const [region] = elements(text, "#list[data-live]");
      if (resourceOf(list))
        expect([path, region?.attributes["data-live"]]).toEqual([
          path,
          expect.stringMatching(new RegExp(`^${list}\\b`)),
        ]);
      if (OF_A_RECORD.test(path) && !path.includes("/import/")) {
        expect([path, main?.attributes["data-live"]]).toEqual([
          path,
          expect.stringMatching(/^\w+:\d+\b/),
        ]);
      }
      const isEdited = elements(text, "form[data-guard] input[name=version]").length > 0;
      if (isEdited && !WITHOUT_NOTICE.test(path)) {
        expect([path, elements(text, "[role=status][data-from]").length]).toEqual([path, 1]);
      }
    }
  });

  test("asks what was changed since its form was opened, in the words of the form", async () => {
    const { id } = await aHost({ name: "pc-01" });
    await api(dave).patch(`/network/hosts/${id}`, {
      description: "New",
      is_ioc: true,
    });
    await api(dave).post("/network/groups", { name: "Bench", hosts: ["pc-01"] });
    const own = await browser(alice);
    const since = async (version: number) =>
      texts((await own.get(`/_meanwhile/hosts/${id}/${version}`)).text, ".note p");
    const [group, fields, end] = await since(1);
    expect([group, fields]).toEqual([
      "dave added a host to group Bench just now",
      "dave changed the IOC, description just now",
    ]);
    expect(end).toContain("Saving merges both");
    expect(await since(9)).toEqual([]);
    await api(alice).delete(`/network/hosts/${id}`);
    const gone = (await since(2)).join();
    expect([gone.includes("alice deleted this host"), gone.includes("Saving")]).toEqual([
      true,
      false,
    ]);
  });

  test("is told nothing of a record that is hidden from its user", async () => {
    const hidden = await aHiddenHost();
    await api(alice).patch(`/network/hosts/${hidden}`, { description: "Secret" });
    const own = await browser(carol);
    const [there, nowhere] = [
      await own.get(`/_meanwhile/hosts/${hidden}/1`),
      await own.get("/_meanwhile/hosts/99/1"),
    ];
    expect([there.status, there.text]).toEqual([nowhere.status, nowhere.text]);
    expect(there.text).toBe("");
  });

  test("that asks for itself again takes no notice from another tab, and keeps no session alive", async () => {
    await aHost({ name: "pc-01" });
    const own = await browser(alice);
    const path = "/network/hosts/view/pc-01";
    const again = { "hx-request": "true", "hx-request-type": "full", "hx-live": "true" };
    await own.submit(path, { action: "describe", description: "New", version: "1" });
    const { sql } = await service();
    await sql`update sessions set last_seen_at = now() - interval '1 hour'`;
    forgetCallers();
    const isActive = async () => {
      const [session] = await sql`
        select last_seen_at > now() - interval '1 minute' as active from sessions`;
      return session.active;
    };
    const { text: part } = await own.get(path, { headers: again });
    expect([texts(part, "h1").length, await isActive()]).toEqual([1, false]);
    const { text } = await own.get(path);
    expect([text.includes("Saved the description"), await isActive()]).toEqual([true, true]);
  });
});
