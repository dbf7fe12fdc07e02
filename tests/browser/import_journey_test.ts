import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { importJobs } from "../../src/import/jobs.ts";
import { itemImporter } from "../../src/inventory/import/import.ts";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { labAndBench } from "../support/imports.ts";
import { working } from "../support/jobs.ts";
import { MOUSE_WAYS } from "../support/journey.ts";
import { aLocation, anItem, api, bob, dave } from "../support/mod.ts";
import { IMPORT, IMPORT_HOSTS } from "../support/upload.ts";

setDefaultTimeout(180_000);

const ROWS = `ICS id,Serial number,Location
AAA001,SN-1,Hall B
AAB001,SN-2,Hall A
,,Hall A
AAB003,SN-4,Hal A
AA,SN-5,Hall A
`;

describe.skipIf(!hasChromium)("Bob imports a file with three wrong rows", () => {
  test.each(MOUSE_WAYS)(
    "fixes two in place, leaves one out, applies, and undoes it, %s",
    async (way) => {
      const javaScriptEnabled = way === "with scripting";
      await Promise.all([aLocation({ name: "Hall A" }), aLocation({ name: "Hall B" })]);
      await anItem({ ics_id: "AAA001", serial_number: "SN-1", location: "Hall A" });
      const window = await aWindow({ javaScriptEnabled });
      const { page, complaints } = window;
      const summary = (text: string) => page.locator(".imports").getByText(text).waitFor();
      await logIn(window, bob);
      await page.goto("/inventory/items");
      await page.getByRole("link", { name: "Import" }).click();
      await page.waitForURL(IMPORT);
      await page.getByLabel("File").setInputFiles({
        name: "delivery.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(ROWS),
      });
      await page.getByRole("button", { name: "Preview import" }).click();
      await summary("1 new, 1 changed, 3 refused");
      expect(await page.locator("tbody tr").count()).toBe(3);
      await page.getByLabel("Serial number in line 4").fill("SN-3");
      await page.getByLabel("Location in line 5").fill("hall a");
      await page.getByRole("button", { name: "Save line 5" }).click();
      await summary("3 new, 1 changed, 1 refused");
      await page.getByRole("button", { name: "Skip line 6" }).click();
      await summary("3 new, 1 changed");
      await page.locator(".imports").getByText("refused").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Apply all 4 rows" }).click();
      await page.getByText("Added 3 items, changed 1 item").waitFor();
      const items = async () => (await api(bob).get("/inventory/items?sort=ics_id")).body;
      expect((await items()).map((one: any) => [one.ics_id, one.location])).toEqual([
        ["AAA001", "Hall B"],
        ["AAB001", "Hall A"],
        ["AAB003", "Hall A"],
        ["ZZA000", "Hall A"],
      ]);
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("Undone", { exact: true }).waitFor();
      expect((await items()).map((one: any) => [one.ics_id, one.location])).toEqual([
        ["AAA001", "Hall A"],
      ]);
      expect(complaints).toEqual([]);
      await window.close();
    },
  );

  test("sees a long file being checked, and pages through it", async () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `SN-${at}`).join("\n");
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, bob);
    await page.goto(IMPORT);
    const buffer = Buffer.from(`serial_number\n${many}`);
    await page.getByLabel("File").setInputFiles({ name: "long.csv", mimeType: "text/csv", buffer });
    await working(
      async () => {
        await page.getByRole("button", { name: "Preview import" }).click();
        await page.locator(".imports").getByText("2,000 new").waitFor();
      },
      importJobs([itemImporter]),
    );
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByText("2,000 rows, page 2 of 20").waitFor();
    await page.locator("tbody tr").first().getByText("SN-100").first().waitFor();
    await page.getByRole("button", { name: "Discard import" }).click();
    // In a dialog, or on a page of its own if the list was not yet drawn.
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    await page.waitForURL(IMPORT);
    expect(complaints).toEqual([]);
    await window.close();
  });
});

const HOSTS = `Hostname\tDevice type\tNetwork\tInterface name
web-01\tPhysical\tLab\t
web-01\t\tBench\tweb-01-b
web-02\tToaster\tLab\t
`;

describe.skipIf(!hasChromium)("Dave pastes hosts with a wrong row", () => {
  test.each(MOUSE_WAYS)("corrects it in place, applies, and undoes it, %s", async (way) => {
    const javaScriptEnabled = way === "with scripting";
    await labAndBench();
    const window = await aWindow({ javaScriptEnabled });
    const { page, complaints } = window;
    await logIn(window, dave);
    await page.goto("/network/hosts");
    await page.getByRole("link", { name: "Import a file" }).click();
    await page.waitForURL(IMPORT_HOSTS);
    await page.getByText("Or paste rows").click();
    await page.getByLabel("Rows, with the names of columns first").fill(HOSTS);
    await page.getByRole("button", { name: "Preview import" }).click();
    await page.locator(".imports").getByText("2 new, 1 refused").waitFor();
    await page.getByLabel("Device type in line 4").fill("Virtual");
    await page.getByRole("button", { name: "Save line 4" }).click();
    await page.locator(".imports").getByText("3 new").waitFor();
    await page.locator(".imports").getByText("refused").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Apply all 3 rows" }).click();
    await page.getByText("Added 2 hosts, 3 interfaces").waitFor();
    const { body } = await api(dave).get("/network/interfaces");
    expect(body.map(({ name, ip }: any) => [name, ip])).toEqual([
      ["web-01", "10.1.1.1"],
      ["web-02", "10.1.1.2"],
      ["web-01-b", "10.1.2.1"],
    ]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone", { exact: true }).waitFor();
    expect((await api(dave).get("/network/hosts")).body).toEqual([]);
    expect(complaints).toEqual([]);
    await window.close();
  });
});
