import { describe, expect, test } from "bun:test";
import { aDomain, alice, aNetwork, api, aScope, carol, dave, fieldsOf } from "../support/mod.ts";

const PATH = "/network/domains";

describe("domains", () => {
  test("are named in lower case and list their scopes and networks", async () => {
    const { status, body } = await api(alice).post(PATH, { name: "Lab.Example.ORG" });
    expect(status).toBe(201);
    const scope = await aScope({ name: "Office", domain_id: body.id });
    await aNetwork({ vlan_name: "Desks", scope: scope.name });
    expect((await api(carol).get(`${PATH}/${body.id}`)).body).toEqual({
      id: body.id,
      name: "lab.example.org",
      scopes: ["Office"],
      networks: ["Desks"],
      user: "alice",
      created_at: body.created_at,
      updated_at: body.updated_at,
    });
    expect((await api(carol).get(`${PATH}?name=LAB.example.org`)).body).toHaveLength(1);
    expect((await api(carol).get(`${PATH}?scopes=office`)).body).toHaveLength(1);
    const [nested] = (await api(carol).get(`${PATH}?recursive=true`)).body;
    expect(nested.scopes[0]).toMatchObject({ id: scope.id, name: "Office" });
  });

  test.each(["", "-a.example", "a-.example", "a..b", "exa mple", "a/b", `${"a".repeat(64)}.b`, 5])(
    "are refused as %p",
    async (name) => {
      const { status, body } = await api(alice).post(PATH, { name });
      expect(status).toBe(422);
      expect(fieldsOf(body)).toEqual(["name"]);
    },
  );

  test("are unique, ignoring case", async () => {
    await aDomain({ name: "lab.example.org" });
    const { status, body } = await api(alice).post(PATH, { name: "LAB.example.org" });
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: "name", message: "This name is taken" }]);
  });

  test("are not deleted while scopes or networks use them", async () => {
    const used = await aDomain();
    const scope = await aScope();
    await aNetwork({ scope: scope.name, domain_id: used.id });
    const { status, body } = await api(alice).delete(`${PATH}/${used.id}`);
    expect(status).toBe(422);
    expect(body.detail).toBe("id: This domain is in use by 1 network");
    const unused = await aDomain();
    expect((await api(alice).delete(`${PATH}/${unused.id}`)).status).toBe(204);
    expect((await api(alice).delete(`${PATH}/${unused.id}`)).status).toBe(404);
  });

  test("are created and deleted by admins only", async () => {
    expect((await api(dave).post(PATH, { name: "a.example" })).status).toBe(403);
    expect((await api(dave).delete(`${PATH}/999`)).status).toBe(403);
  });
});
