import { describe, expect, test } from "bun:test";
import { aWindow, hasChromium, logIn, type Window } from "../support/chromium.ts";
import { working } from "../support/jobs.ts";
import { MOUSE_WAYS } from "../support/journey.ts";
import { anItem, bob } from "../support/mod.ts";
import { recordsOf } from "../support/workbook.ts";

const LIMIT = 180_000;
const LIST = "/inventory/items?serial_number__startswith=Pump";

async function download({ page }: Window, ask: () => Promise<unknown>): Promise<Uint8Array> {
  const coming = page.waitForEvent("download");
  await ask();
  const path = await (await coming).path();
  return Bun.file(path).bytes();
}

describe.skipIf(!hasChromium)("Bob exports a list", () => {
  test.each(MOUSE_WAYS)(
    "sees the job wait and finish, and reads the file, %s",
    async (way) => {
      const javaScriptEnabled = way === "with scripting";
      for (const serial_number of ["Pump 007", "=Pump", "Pump 1"]) await anItem({ serial_number });
      const window = await aWindow({ javaScriptEnabled });
      await logIn(window, bob);
      await window.page.goto(LIST);
      await window.page.locator("summary", { hasText: "Export" }).click();
      await window.page.getByRole("link", { name: "Excel" }).click();
      const status = window.page.getByRole("status").filter({ hasText: /Queued|Finished/ });
      expect(await status.innerText()).toBe("Queued Waiting for other jobs");
      await working(async () => {
        const finished = window.page.getByText("Finished 2 items");
        const link = window.page.getByRole("link", { name: /^Download items-.*\.xlsx$/ });
        // By itself when it is there, and again by the link.
        for (const ask of [() => finished.waitFor(), () => link.click()]) {
          const rows = recordsOf(await download(window, ask));
          expect(rows.map(({ serial_number }) => serial_number)).toEqual(["Pump 007", "Pump 1"]);
        }
      });
      await window.page.getByLabel("Breadcrumb").getByRole("link", { name: "Items" }).click();
      await window.page.waitForURL("/inventory/items");
      expect(window.complaints).toEqual([]);
      await window.close();
    },
    LIMIT,
  );
});
