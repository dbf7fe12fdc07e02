import { describe, expect, test } from "bun:test";
import { add, aFeedNetwork } from "../../support/feed_network.ts";
import { alice, api, carol, fieldsOf, service, tokenOf } from "../../support/mod.ts";
import { file, isMissing, run } from "../../support/programs.ts";

const PATH = "/network/export/prometheus";

describe("GET /network/export/prometheus", () => {
  test("lists each host with its main address, and labels for relabelling", async () => {
    await aFeedNetwork();
    await add("groups", { name: "servers", hosts: ["db", "web"] });
    await add("groups", { name: "front", type: "query", query: "web" });
    await add("hosts", { name: "bare", device_type: "VME" });
    const { body } = await api(carol).get(PATH);
    expect(body).toEqual([
      {
        targets: ["10.1.1.2"],
        labels: {
          __meta_cadastre_host: "db",
          __meta_cadastre_fqdn: "db.lab.example.org",
          __meta_cadastre_device_type: "Physical",
          __meta_cadastre_is_ioc: "true",
          __meta_cadastre_network: "Office",
          __meta_cadastre_scope: "Lab",
          __meta_cadastre_domain: "lab.example.org",
          __meta_cadastre_groups: ",servers,",
        },
      },
      {
        targets: ["10.1.1.1"],
        labels: expect.objectContaining({ __meta_cadastre_groups: ",front,servers," }),
      },
    ]);
    const all = (await api(alice).get(PATH)).body;
    expect(all.map(({ targets }: { targets: string[] }) => targets[0])).toContain("10.1.9.1");
  });

  test("escapes commas in the names of groups, so that each can be matched alone", async () => {
    await aFeedNetwork();
    await add("groups", { name: "a,b", hosts: ["web"] });
    await add("groups", { name: "100%", hosts: ["web"] });
    await add("groups", { name: "b", hosts: ["db"] });
    const { body } = await api(carol).get(PATH);
    const groupsOf = (host: string): string =>
      body.find(({ labels }: any) => labels.__meta_cadastre_host === host).labels
        .__meta_cadastre_groups;
    expect([groupsOf("web"), groupsOf("db")]).toEqual([",100%25,a%2Cb,", ",b,"]);
  });

  test("uses the requested ports, and IPv6 addresses in brackets", async () => {
    await aFeedNetwork();
    await add("hosts", { name: "six", device_type: "VME", network: "Office-v6" });
    const { body } = await api(carol).get(`${PATH}?port=9100&port=9115&scope=Lab-v6`);
    expect(body.map(({ targets }: { targets: string[] }) => targets)).toEqual([
      ["[2001:db8:1:1::2]:9100", "[2001:db8:1:1::2]:9115"],
      ["10.1.1.1:9100", "10.1.1.1:9115"],
    ]);
  });

  test.each([["0"], ["65536"], ["http"], ["9100,9115"]])("refuses the port %s", async (port) => {
    const { status, body } = await api(carol).get(`${PATH}?port=${port}`);
    expect([status, fieldsOf(body)]).toEqual([422, ["port"]]);
  });
});

describe.skipIf(isMissing("promtool"))("Prometheus", () => {
  test("discovers the targets", async () => {
    await aFeedNetwork();
    const { origin } = await service();
    const config = {
      scrape_configs: [
        {
          job_name: "cadastre",
          http_sd_configs: [
            {
              url: `${origin}/api/v1${PATH}?port=9100`,
              // Bearer is the default, but promtool 2.42 does not apply it.
              authorization: { type: "Bearer", credentials: await tokenOf(carol) },
            },
          ],
          relabel_configs: [{ source_labels: ["__meta_cadastre_host"], target_label: "host" }],
        },
      ],
    };
    const path = await file("prometheus.yml", JSON.stringify(config));
    const command = ["promtool", "check", "service-discovery", "--timeout=2s", path, "cadastre"];
    const { code, out, said } = await run(command);
    expect([code, said]).toEqual([0, expect.stringContaining("10.1.1.1:9100")]);
    const labels = JSON.parse(out).map(({ labels }: any) => [labels.instance, labels.host]);
    expect(labels.toSorted()).toEqual([
      ["10.1.1.1:9100", "web"],
      ["10.1.1.2:9100", "db"],
    ]);
  });
});
