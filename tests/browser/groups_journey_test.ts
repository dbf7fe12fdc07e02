import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { aWindow, hasChromium, logIn } from "../support/chromium.ts";
import { aHost, api, carol, dave, inOrder } from "../support/mod.ts";

setDefaultTimeout(180_000);

const PATH = "/network/groups";

describe.skipIf(!hasChromium)("in the browser", () => {
  test("dave creates a group by query and sees the affected hosts before saving", async () => {
    await inOrder(["ioc-01", "ioc-02"].map((name) => () => aHost({ name })));
    await aHost({ name: "web-01", automation_vars: { port: 80 } });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, dave);
    await page.goto(PATH);
    await page.keyboard.press("c");
    await page.waitForURL(`${PATH}/create`);
    await page.getByLabel("Name", { exact: true }).fill("IOCs");
    expect(await page.getByLabel("Query", { exact: true }).isVisible()).toBe(false);
    await page.getByLabel("Type", { exact: true }).selectOption("By query");
    expect(await page.getByLabel("Add host").isVisible()).toBe(false);
    await page.getByLabel("Query", { exact: true }).pressSequentially("ioc-*");
    const outlook = page.locator("#outlook");
    await outlook.getByText("2 hosts in the group, 2 affected").waitFor();
    await page.getByLabel("Variables").pressSequentially("port: [1");
    await outlook.getByText("Variables: Line 1").waitFor();
    await page.getByLabel("Variables").pressSequentially(", 2]");
    await outlook.getByText("[1,2]").waitFor();
    expect(await outlook.locator("li").allInnerTexts()).toEqual([
      "ioc-01, ioc-02 added\nport\n[1,2]",
    ]);
    await page.getByLabel("Query", { exact: true }).fill("name:*-01");
    await outlook.getByText("ioc-01 added").waitFor();
    expect((await api(carol).get(PATH)).body).toEqual([]);
    await page.keyboard.press("Control+Enter");
    await page.getByText("Added IOCs").waitFor();
    expect(await page.locator("table.list a.open").allInnerTexts()).toEqual(["ioc-01", "web-01"]);
    await page.keyboard.press("e");
    await page.waitForURL(`${PATH}/edit/IOCs`);
    await page.getByLabel("Variables").fill("port: 3");
    await outlook.getByText("2 hosts in the group, 1 affected").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved IOCs: variables").waitFor();
    expect(complaints).toEqual([]);
    await window.close();
  });

  test("dave adds a host to a group, deletes the group and undoes the deletion", async () => {
    await inOrder(["db-01", "db-02"].map((name) => () => aHost({ name })));
    await api(dave).post(PATH, { name: "Databases", hosts: ["db-01"] });
    const window = await aWindow();
    const { page, complaints } = window;
    await logIn(window, dave);
    await page.goto(PATH);
    await page.getByRole("link", { name: "Databases" }).click();
    await page.getByLabel("Add host").pressSequentially("db-");
    await page.locator("#field-host-names option[value='db-02']").waitFor({ state: "attached" });
    await page.getByLabel("Add host").fill("db-02");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("Added db-02 to Databases").waitFor();
    await page.getByRole("button", { name: "Remove db-01" }).click();
    await page.getByText("Removed db-01 from Databases").waitFor();
    expect(await page.locator("table.list a.open").allInnerTexts()).toEqual(["db-02"]);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted Databases").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Databases" }).click();
    await page.getByRole("heading", { name: "History" }).waitFor();
    expect(await page.locator("table.list a.open").allInnerTexts()).toEqual(["db-02"]);
    expect(complaints).toEqual([]);
    await window.close();
  });
});
