// The name that was probably meant, where a name is refused that no record has.
import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aHost, aManufacturer, aNetwork, api, bob, dave } from "../support/mod.ts";

const ITEMS = "/inventory/items";

async function messageFor(manufacturer: string): Promise<string> {
  const { body } = await api(bob).post(ITEMS, { serial_number: "S", manufacturer });
  return body.errors[0].message;
}

describe("an unknown name", () => {
  test.each([
    ["Siemes", `'Siemes' is not a valid manufacturer. Did you mean "Siemens"?`],
    ["siemesn", `'siemesn' is not a valid manufacturer. Did you mean "Siemens"?`],
    ["Simons", "'Simons' is not a valid manufacturer"],
    ["S".repeat(65), `'${"S".repeat(65)}' is not a valid manufacturer`],
    ["%", "'%' is not a valid manufacturer"],
  ])("%s is refused by %s", async (typed, message) => {
    await aManufacturer({ name: "Siemens" });
    expect(await messageFor(typed)).toBe(message);
  });

  test("of a network gets a suggestion too, but none for a token with limits", async () => {
    await aNetwork({ vlan_name: "Timing-North" });
    const { name: host } = await aHost();
    const wrong = { host, name: "one", network: "Timing-Nort" };
    const { body } = await api(dave).post("/network/interfaces", wrong);
    const message = "'Timing-Nort' is not a valid network";
    expect(body.errors[0].message).toBe(`${message}. Did you mean "Timing-North"?`);
    const { body: made } = await api(dave).post("/user/tokens", {
      description: "Scanner",
      limits: ["network:write"],
    });
    const limited = await api(dave).post("/network/interfaces", wrong, {
      headers: { authorization: `Bearer ${made.token}` },
    });
    expect(limited.body.errors[0].message).toBe(message);
  });

  test("has a button in a form, which puts the suggestion into the field", async () => {
    await aManufacturer({ name: "Siemens" });
    const given = { serial_number: "S", manufacturer: "Siemes" };
    const { text, status } = await (await browser(bob)).submit(`${ITEMS}/create`, given);
    expect(status).toBe(422);
    expect(texts(text, "p.error")[0]).toContain("Did you mean");
    const [button] = elements(text, "p.error button");
    expect(button?.attributes["data-fill"]).toBe("field-manufacturer");
    expect(button?.attributes.value).toBe("Siemens");
  });
});
