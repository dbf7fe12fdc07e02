// Photos and documents of records: by the API.
import { describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { deleteExpired } from "../../src/jobs/housekeeping.ts";
import { aGif, aJpeg, aPdf, aPng, aWebp, position } from "../support/files.ts";
import {
  aHost,
  aLocation,
  alice,
  aModel,
  aNetwork,
  anItem,
  api,
  audrey,
  bob,
  carol,
  dave,
  fieldsOf,
  type Person,
  service,
  tokenOf,
} from "../support/mod.ts";

/** Sends bytes as they are. */
async function send(by: Person, path: string, bytes: Buffer, name = "photo.png") {
  return api(by).post(path, bytes, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    },
  });
}

async function fetched(by: Person, url: string, headers: Record<string, string> = {}) {
  const { origin } = await service();
  const answer = await fetch(origin + url, {
    headers: { authorization: `Bearer ${await tokenOf(by)}`, ...headers },
  });
  return {
    status: answer.status,
    headers: answer.headers,
    bytes: Buffer.from(await answer.bytes()),
  };
}

async function someRecords() {
  const { vlan_name, id: network } = await aNetwork();
  return {
    "/inventory/items": (await anItem()).id,
    "/inventory/models": (await aModel()).id,
    "/inventory/locations": (await aLocation()).id,
    "/network/hosts": (await aHost({ network: vlan_name })).id,
    "/network/networks": network,
  };
}

describe("a file", () => {
  test("is added to each kind of record, listed, read, changed and deleted", async () => {
    for (const [path, id] of Object.entries(await someRecords())) {
      const files = `${path}/${id}/files`;
      const made = await send(alice, files, aPng(id), "Name plate.png");
      expect([path, made.status, made.text]).toEqual([path, 201, expect.anything()]);
      const { body } = made;
      expect(body).toMatchObject({
        ...{ name: "Name plate.png", type: "image/png", size: aPng(id).length, caption: null },
        ...{ is_picture: true, position: 1024, user: "alice" },
        url: `/api/v1${files}/${body.id}/content`,
      });
      const other = await send(alice, files, aPdf(), "certificate.pdf");
      expect(other.body).toMatchObject({
        is_picture: false,
        position: 2048,
        type: "application/pdf",
      });
      const { body: listed } = await api(carol).get(files);
      expect(listed.map(({ name }: { name: string }) => name)).toEqual([
        "Name plate.png",
        "certificate.pdf",
      ]);
      const one = `${files}/${body.id}`;
      expect((await api(carol).get(one)).body).toEqual(body);
      expect((await fetched(carol, body.url)).bytes).toEqual(aPng(id));
      const changed = await api(alice).patch(one, { caption: "Left side", position: 9 });
      expect(changed.body).toMatchObject({ caption: "Left side", position: 9 });
      expect((await api(alice).delete(one)).status).toBe(204);
      expect((await api(alice).get(one)).status).toBe(404);
      expect((await fetched(alice, body.url)).status).toBe(404);
      expect((await api(carol).get(files)).body).toHaveLength(1);
    }
  });

  test("comes in a form, too, with a caption", async () => {
    const { ics_id } = await anItem();
    const { origin } = await service();
    const form = new FormData();
    form.append("file", new File([new Uint8Array(aJpeg())], "../../etc/<b>x\u202egpj.jpeg"));
    form.append("caption", "Serial number");
    const answer = await fetch(`${origin}/api/v1/inventory/items/${ics_id}/files`, {
      method: "POST",
      body: form,
      headers: { authorization: `Bearer ${await tokenOf(bob)}` },
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      201,
      { name: "bxgpj.jpeg", caption: "Serial number", type: "image/jpeg" },
    ]);
  });

  test("is of the type that its bytes say", async () => {
    const { id } = await anItem();
    const found = async (bytes: Buffer, name: string) => {
      const { body } = await send(bob, `/inventory/items/${id}/files`, bytes, name);
      const { headers } = await fetched(bob, body.url);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      const isPdf = body.type === "application/pdf";
      expect(headers.get("content-security-policy")?.includes("sandbox")).toBe(!isPdf);
      return [body.type, ...["content-type", "content-disposition"].map((one) => headers.get(one))];
    };
    const saved = (name: string) => [
      "application/octet-stream",
      `attachment; filename*=UTF-8''${name}`,
    ];
    expect(await found(aGif(), "a.html")).toEqual([
      "image/gif",
      "image/gif",
      "inline; filename*=UTF-8''a.html",
    ]);
    expect((await found(aWebp(), "b"))[0]).toBe("image/webp");
    expect((await found(Buffer.concat([aJpeg(), aJpeg()]), "hdr.jpg"))[0]).toBe("image/jpeg");
    expect(await found(Buffer.from("<svg onload=alert(1)>"), "c.svg")).toEqual([
      "text/plain",
      ...saved("c.svg"),
    ]);
    expect(await found(Buffer.from([0, 1, 2]), "d.jpg")).toEqual([
      "application/octet-stream",
      ...saved("d.jpg"),
    ]);
    expect((await found(aPdf(), "e.pdf"))[2]).toStartWith("inline");
    for (const active of ["/OpenAction 2 0 R", "/J#53 (x)", "/Encrypt 3 0 R"]) {
      expect(await found(aPdf(active), "f.pdf")).toEqual(["application/pdf", ...saved("f.pdf")]);
    }
    const hidden = deflateSync("<< /JavaScript 4 0 R >>");
    const packed = `%PDF-1.5\n<< /Type /ObjStm /Length ${hidden.length} >>\nstream\n${hidden.toString("latin1")}\nendstream\n%%EOF`;
    expect((await found(Buffer.from(packed, "latin1"), "g.pdf"))[2]).toStartWith("attachment");
  });

  test("that is damaged, two things at once, too large, or tells a place is refused", async () => {
    const { id } = await anItem();
    const files = `/inventory/items/${id}/files`;
    const script = Buffer.from("<script>alert(1)</script>");
    const wrong: Array<[string, Buffer]> = [
      ["empty", Buffer.alloc(0)],
      ...[aPng(), aJpeg(), aGif(), aWebp(), aPdf()].flatMap(
        (whole): Array<[string, Buffer]> => [
          ["truncated", whole.subarray(0, whole.length - 4)],
          ["two things", Buffer.concat([whole, script])],
        ],
      ),
      ["a bomb", aPng(0, { width: 60_000, height: 60_000 })],
      ["a place", aJpeg(position())],
      [
        "a place in a video",
        Buffer.from("....ftypqt  ....\xa9xyz\0\x12\x15\xc7+46.2330+006.0550/", "latin1"),
      ],
      ["a place of a phone", Buffer.from("....ftypisom com.apple.quicktime.location.ISO6709")],
    ];
    const sentences: Record<string, string> = {
      ...{ empty: "empty", truncated: "ends too early", "two things": "behind its end" },
      ...{ "a bomb": "million pixels", "a place": "where it was taken" },
      ...{ "a place in a video": "where it was", "a place of a phone": "where it was" },
    };
    for (const [what, bytes] of wrong) {
      const { status, body } = await send(bob, files, bytes);
      expect([what, status, ...fieldsOf(body)]).toEqual([what, 422, "file"]);
      expect(body.errors[0].message).toContain(sentences[what]!);
    }
    expect((await send(bob, files, Buffer.alloc(10 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await api(bob).get(files)).body).toEqual([]);
    const { sql } = await service();
    expect(await sql`select from file_blobs`).toHaveLength(0);
  });

  test("is sent in parts, and not again to those who have it", async () => {
    const { id } = await anItem();
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, at) => (at * 31) % 251));
    const { body } = await send(bob, `/inventory/items/${id}/files`, bytes, "drawing.bin");
    const get = (headers: Record<string, string> = {}) => fetched(bob, body.url, headers);
    const whole = await get();
    expect([whole.status, whole.bytes.equals(bytes), whole.headers.get("etag")]).toEqual([
      ...([200, true] as const),
      `"${body.sha256}"`,
    ]);
    expect((await get({ "if-none-match": `"${body.sha256}"` })).status).toBe(304);
    for (const [range, from, until] of [
      ["bytes=0-0", 0, 1],
      ["bytes=262143-262145", 262_143, 262_146],
      ["bytes=699999-", 699_999, 700_000],
      ["bytes=-10", 699_990, 700_000],
      ["bytes=100-9999999", 100, 700_000],
    ] as const) {
      const part = await get({ range });
      expect([range, part.status, part.bytes.equals(bytes.subarray(from, until))]).toEqual([
        range,
        206,
        true,
      ]);
      expect(part.headers.get("content-range")).toBe(`bytes ${from}-${until - 1}/700000`);
    }
    expect((await get({ range: "bytes=700000-" })).status).toBe(416);
    expect((await get({ range: "bytes=0-1", "if-range": '"other"' })).status).toBe(200);
  });
});

test("a file is read as it was at a time, by those who may know its record", async () => {
  const { vlan_name } = await aNetwork();
  const { vlan_name: secret } = await aNetwork({ sensitive: true });
  for (const network of [vlan_name, secret]) {
    const { id } = await aHost({ network });
    const files = `/network/hosts/${id}/files`;
    const { body } = await send(alice, files, aPng(), "before.png");
    const at = new Date().toISOString();
    await Bun.sleep(5);
    await api(alice).patch(`${files}/${body.id}`, { caption: "later" });
    await api(alice).delete(`${files}/${body.id}`);
    const past = (by: Person) => api(by).get(`${files}/${body.id}?at=${encodeURIComponent(at)}`);
    expect((await past(alice)).body).toMatchObject({ name: "before.png", caption: null });
    expect((await past(carol)).status).toBe(network === secret ? 404 : 200);
    expect(
      (await api(alice).get(`/network/hosts/${id + 1}/files/${body.id}?at=${at}`)).status,
    ).toBe(404);
  }
});

describe("the picture of a record", () => {
  test("is one, whoever chooses it, and only what is a picture", async () => {
    const { id } = await anItem();
    const files = `/inventory/items/${id}/files`;
    const made = [];
    for (let at = 0; at < 4; at += 1) made.push((await send(bob, files, aPng(at))).body.id);
    await Promise.all(made.map((one) => api(bob).patch(`${files}/${one}`, { is_picture: true })));
    const pictures = async () =>
      (await api(bob).get(files)).body.filter((one: { is_picture: boolean }) => one.is_picture);
    expect(await pictures()).toHaveLength(1);
    const pdf = await send(bob, files, aPdf());
    const refused = await api(bob).patch(`${files}/${pdf.body.id}`, { is_picture: true });
    expect([refused.status, ...fieldsOf(refused.body)]).toEqual([422, "is_picture"]);
    expect(await pictures()).toHaveLength(1);
  });
});

describe("the bytes", () => {
  test("are there once, go a month after nothing has them, and come back with an undo until then", async () => {
    const { sql } = await service();
    const [one, other] = [await anItem(), await anItem()];
    const bytes = aPng(77);
    const first = await send(bob, `/inventory/items/${one.id}/files`, bytes);
    await send(bob, `/inventory/items/${other.id}/files`, bytes);
    const blobs = () => sql`select unused_since from file_blobs`;
    expect(await blobs()).toEqual([{ unused_since: null }]);
    await api(alice).delete(`/inventory/items/${other.id}`);
    expect(await blobs()).toEqual([{ unused_since: null }]);
    const gone = await api(bob).delete(`/inventory/items/${one.id}/files/${first.body.id}`);
    expect((await blobs())[0].unused_since).not.toBeNull();
    await deleteExpired({ auditDays: 30 });
    const set = gone.headers.get("change-set");
    expect((await api(bob).post(`/changes/${set}/undo`, {})).status).toBe(201);
    expect((await fetched(bob, first.body.url)).bytes).toEqual(bytes);
    expect(await blobs()).toEqual([{ unused_since: null }]);

    const again = await api(bob).delete(`/inventory/items/${one.id}/files/${first.body.id}`);
    await sql`update file_blobs set unused_since = now() - interval '31 days'`;
    await deleteExpired({ auditDays: 30 });
    expect(await blobs()).toHaveLength(0);
    const late = await api(bob).post(`/changes/${again.headers.get("change-set")}/undo`, {});
    expect(late.status).toBe(422);
  });

  test("come back with a record that was deleted with its files", async () => {
    for (const [path, id] of Object.entries(await someRecords())) {
      const { body } = await send(alice, `${path}/${id}/files`, aPng(id + 1_000));
      if (path === "/network/networks") {
        for (const host of (await api(alice).get("/network/hosts")).body) {
          await api(alice).delete(`/network/hosts/${host.id}`);
        }
      }
      const gone = await api(alice).delete(`${path}/${id}`);
      expect([path, gone.status]).toEqual([path, 204]);
      expect((await fetched(alice, body.url)).status).toBe(404);
      const undone = await api(alice).post(`/changes/${gone.headers.get("change-set")}/undo`, {});
      expect([path, undone.status]).toEqual([path, 201]);
      expect((await fetched(alice, body.url)).bytes).toEqual(aPng(id + 1_000));
    }
  });

  test("of many who send the same are there once, and a record has at most twenty", async () => {
    const { sql } = await service();
    const { id } = await anItem();
    const files = `/inventory/items/${id}/files`;
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, at) => send(at % 2 ? bob : alice, files, aPng(at % 3))),
    );
    const statuses = all.map(({ status }) => status);
    expect(statuses.filter((one) => one === 201)).toHaveLength(20);
    expect(statuses.filter((one) => one === 422)).toHaveLength(10);
    expect((await api(bob).get(files)).body).toHaveLength(20);
    expect(await sql`select from file_blobs`).toHaveLength(3);
  });
});

describe("a record is found", () => {
  test("by its files: their names and captions, and that there are any", async () => {
    const { vlan_name } = await aNetwork();
    await aHost({ name: "bare", network: vlan_name });
    const { id } = await aHost({ name: "shown", network: vlan_name });
    const search = async (q: string) =>
      (await api(carol).get(`/network/hosts?q=${encodeURIComponent(q)}`)).body.map(
        ({ name }: { name: string }) => name,
      );
    expect(await search("has:file")).toEqual([]);
    const made = await send(alice, `/network/hosts/${id}/files`, aPdf(), "Certificate 2026.pdf");
    expect(await search("has:file")).toEqual(["shown"]);
    expect(await search("has:picture")).toEqual([]);
    expect(await search("NOT has:file")).toEqual(["bare"]);
    for (const q of [
      "certificate",
      "file:certif*",
      "file:*ificat*",
      'file:"certificate 2026.pdf"',
    ]) {
      expect([q, await search(q)]).toEqual([q, ["shown"]]);
    }
    await send(alice, `/network/hosts/${id}/files`, aPng());
    expect(await search("has:picture")).toEqual(["shown"]);
    await api(alice).patch(`/network/hosts/${id}/files/${made.body.id}`, {
      caption: "Calibration",
    });
    expect(await search("file:calibration")).toEqual(["shown"]);
    await api(alice).delete(`/network/hosts/${id}/files/${made.body.id}`);
    expect(await search("certificate")).toEqual([]);
  });
});

describe("a file is seen and changed", () => {
  test("by those who see and change its record", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    const host = await aHost({ network: vlan_name });
    const files = `/network/hosts/${host.id}/files`;
    const { body } = await send(alice, files, aPng(5), "secret.png");
    for (const path of [files, `${files}/${body.id}`]) {
      expect([path, (await api(carol).get(path)).status]).toEqual([path, 404]);
      expect([path, (await api(audrey).get(path)).status]).toEqual([path, 200]);
    }
    expect((await fetched(carol, body.url)).status).toBe(404);
    expect((await fetched(carol, body.url, { "if-none-match": `"${body.sha256}"` })).status).toBe(
      404,
    );
    const { id } = await anItem();
    // By the address of a record that one may see.
    expect(
      (await fetched(carol, `/api/v1/inventory/items/${id}/files/${body.id}/content`)).status,
    ).toBe(404);
    expect((await api(carol).get("/changes")).text).not.toContain("secret.png");
    expect((await api(audrey).get("/changes")).text).toContain("secret.png");
    expect((await send(dave, files, aPng())).status).toBe(404);
    expect((await send(dave, `/inventory/items/${id}/files`, aPng())).status).toBe(403);
    expect((await send(carol, `/inventory/items/${id}/files`, aPng())).status).toBe(403);
  });
});
