import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { endAll } from "./processes.ts";
import { administrator, aServer, type Server, serving } from "./program.ts";
import { ask, statuses } from "./requests.ts";

const LIMIT = 180_000;

let server: Server;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
afterEach(endAll);
afterAll(() => server.stop());

describe("three processes on one database", () => {
  test(
    "fill a network of 250 exactly, for sixty-four concurrent clients",
    async () => {
      const DATABASE_URL = await server.database();
      const first = await serving({ DATABASE_URL });
      const apps = [first, ...(await Promise.all([1, 2].map(() => serving({ DATABASE_URL }))))];
      const headers = await administrator(first);
      const post = (app: typeof first, path: string, body: object) =>
        ask(app, `/api/v1/network/${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
      await post(first, "domains", { name: "lab.example.org" });
      const range = { first_vlan: 1, last_vlan: 99, supernet: "10.1.0.0/16", domain_id: 1 };
      await post(first, "scopes", { name: "Lab", ...range });
      await post(first, "networks", {
        vlan_name: "Full",
        vlan_id: 1,
        scope: "Lab",
        address: "10.1.0.0/24",
        first_ip: "10.1.0.1",
        last_ip: "10.1.0.251",
        gateway: "10.1.0.100",
      });
      let number = 0;
      const client = async (which: number) => {
        const answers = [];
        for (;;) {
          number += 1;
          const body = { name: `host-${number}`, device_type: "Virtual", network: "Full" };
          const answer = await post(apps[which % 3]!, "hosts", body);
          // Requests that waited for too long are sent again.
          if (answer.status === 503 && answer.retryAfter) continue;
          answers.push(answer);
          if (answer.status !== 201) return answers;
        }
      };
      const answers = (
        await Promise.all(Array.from({ length: 64 }, (_, which) => client(which)))
      ).flat();
      expect(statuses(answers)).toEqual([201, 422]);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(250);
      const addresses: string[] = [];
      for (const page of [1, 2, 3]) {
        const answer = await first.fetch(`/api/v1/network/interfaces?per_page=100&page=${page}`, {
          headers,
        });
        const interfaces = (await answer.json()) as Array<{ ip: string }>;
        addresses.push(...interfaces.map(({ ip }) => ip));
      }
      const all = Array.from({ length: 251 }, (_, at) => `10.1.0.${at + 1}`);
      expect(addresses).toEqual(all.filter((address) => address !== "10.1.0.100"));
    },
    LIMIT,
  );
});
