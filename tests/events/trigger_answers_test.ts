// Triggers whose servers answer what no server should: a job is started once, and its run ends.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { awxServer, gitlabServer } from "../support/job_servers.ts";
import { aHost, alice, api, service } from "../support/mod.ts";
import { allowThisMachine, aTrigger, untilRuns, working } from "../support/triggers.ts";

setDefaultTimeout(90_000);

const awx = awxServer();
const gitlab = gitlabServer();

beforeEach(async () => {
  for (const server of [awx, gitlab]) server.forget();
  await allowThisMachine();
});

/** As if 13 hours had passed since the job was started. */
async function endsAfterTwelveHours(id: number): Promise<void> {
  const { sql } = await service();
  await sql`
    update trigger_runs set started_at = now() - interval '13 hours', next_at = now()
    where subscription_id = ${id}`;
  const [run] = await untilRuns(id, "failed");
  expect(run.message).toBe("the job did not end within 12 hours");
}

describe("a run", () => {
  test.each([
    ["has a character that cannot be stored", "/jobs/\u0000"],
    ["is endless", `/jobs/${"x".repeat(3_000)}`],
    ["is no address", "\n://"],
  ])("starts its job once though the page of the job %s", async (_, page) => {
    const trigger = await aTrigger(gitlab, {
      ...{ template: "gitlab", project: "network/dhcp", ref: "main" },
    });
    gitlab.states = ["success"];
    gitlab.answer = ({ path }) =>
      /\/pipelines?(\/61)?$/.test(path)
        ? Response.json({ id: 61, status: "success", web_url: gitlab.url + page })
        : undefined;
    await working(1, async () => {
      await aHost();
      const [{ url }] = await untilRuns(trigger.id, "succeeded");
      expect((url ?? "").length).toBeLessThan(2_000);
    });
    expect(gitlab.launches()).toHaveLength(1);
  });

  test.each([["constructor"], ["__proto__"], ["new in the next release"]])(
    "ends after 12 hours though its job is in the state %s",
    async (state) => {
      const trigger = await aTrigger(awx);
      awx.states = [state];
      await working(1, async () => {
        await aHost();
        await untilRuns(trigger.id, "started");
        await endsAfterTwelveHours(trigger.id);
      });
    },
  );

  test("ends after 12 hours though nobody can ask about its job", async () => {
    const trigger = await aTrigger(awx);
    const { sql } = await service();
    await working(1, async () => {
      await aHost();
      await untilRuns(trigger.id, "started");
      await sql`update subscriptions set url = 'nowhere' where id = ${trigger.id}`;
      await endsAfterTwelveHours(trigger.id);
    });
  });
});

test("hosts whose names mean other hosts to Ansible are left out of the limit", async () => {
  const trigger = await aTrigger(awx);
  awx.states = ["successful"];
  for (const name of ["all-1", "ungrouped-1", "web-1"]) await aHost({ name });
  // Registered before these names were reserved.
  const { sql } = await service();
  await sql`update hosts set name = split_part(name, '-', 1) where name like '%-1' and name <> 'web-1'`;
  await working(1, async () => {
    await untilRuns(trigger.id, "succeeded");
    expect(awx.launches().map(({ body }) => body.limit)).toEqual(["web-1"]);
    const { body } = await api(alice).get("/network/hosts?name=all");
    await api(alice).patch(`/network/hosts/${body[0].id}`, { description: "Alone" });
    await untilRuns(trigger.id, "succeeded", "skipped");
  });
  expect(awx.launches()).toHaveLength(1);
});

test("a trigger that is switched off by itself is in the audit log", async () => {
  const trigger = await aTrigger(awx, { filters: { query: "name:web*" } });
  const { sql } = await service();
  await sql`update subscriptions set filters = '{"query": "(("}' where id = ${trigger.id}`;
  await working(1, async () => {
    await aHost();
    for (let tries = 0; tries < 400; tries += 1) {
      if (!(await api(alice).get(`/triggers/${trigger.id}`)).body.is_active) break;
      await Bun.sleep(50);
    }
  });
  const { body } = await api(alice).get("/audit?event=trigger.switched_off");
  expect(body).toMatchObject([
    { target: "DHCP", details: { reason: expect.stringMatching(/filter/) } },
  ]);
});
