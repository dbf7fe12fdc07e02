// Triggers: changes become one job elsewhere, whose result comes back.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { importsHosts, labAndBench } from "../support/imports.ts";
import {
  awxServer,
  gitlabServer,
  jenkinsServer,
  postServer,
  TOKEN,
} from "../support/job_servers.ts";
import {
  aDomain,
  aGroup,
  aHost,
  alice,
  aNetwork,
  api,
  aScope,
  carol,
  service,
} from "../support/mod.ts";
import {
  allowThisMachine,
  aTrigger,
  letTimePass,
  runsOf,
  untilRuns,
  untilRunsInTime,
  working,
} from "../support/triggers.ts";

setDefaultTimeout(90_000);

const awx = awxServer();
const gitlab = gitlabServer();
const jenkins = jenkinsServer();
const anyServer = postServer();

beforeEach(async () => {
  for (const server of [awx, gitlab, jenkins, anyServer]) server.forget();
  await allowThisMachine();
});

async function pageOf(host: string, person = alice): Promise<string> {
  const { text } = await (await browser(person)).get(`/network/hosts/view/${host}`);
  return text.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
}

/** On the page of a host, with the time of its job. */
const UPDATED = /DHCP updated \d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC job/;

describe("AWX", () => {
  test("gets one job for forty registrations, and the page of each host has its result", async () => {
    const trigger = await aTrigger(awx, {
      quiet_seconds: 20,
      filters: { kind: ["hosts"] },
      variables: { run: "{{ run.id }}", who: "{{ users }}", count: "{{ counts.hosts }}" },
    });
    const scope = await aScope();
    const network = await aNetwork({ scope: scope.name });
    awx.states = ["pending", "running", "successful"];
    const names = Array.from({ length: 40 }, (_, at) => `dhcp-${String(at + 10)}`);
    await working(1, async () => {
      for (let at = 0; at < names.length; at += 10) {
        const some = names.slice(at, at + 10);
        await Promise.all(some.map((name) => aHost({ name, network: network.vlan_name })));
      }
      await untilGathered();
      await untilRunsInTime(trigger.id, "waiting");
      expect(await isDueAfterQuiet(trigger.id)).toBe(true);
      expect(awx.received).toEqual([]);
      const [run] = await untilRuns(trigger.id, "succeeded");
      expect(run).toMatchObject({ changes: 40, attempts: 1, message: null, is_test: false });
      expect(run.host_names).toEqual(names);
      expect(run.url).toBe(`${awx.url}/#/jobs/playbook/42/output`);
      expect(awx.launches()).toHaveLength(1);
      const [launch] = awx.launches();
      expect(launch?.body).toEqual({
        limit: names.join(","),
        extra_vars: { run: run.id, who: ["alice"], count: 40 },
      });
      // A change while nothing runs is a second job.
      awx.states = ["running"];
      await api(alice).patch(`/network/hosts/${await hostId("dhcp-10")}`, { description: "x" });
      await untilRuns(trigger.id, "succeeded", "started");
      expect(await pageOf("dhcp-10")).toContain("DHCP is running");
      // Changes while a job runs wait for the next one.
      await aHost({ name: "dhcp-late-1" });
      await untilRuns(trigger.id, "succeeded", "started", "waiting");
      await Bun.sleep(600);
      await aHost({ name: "dhcp-late-2" });
      await untilGathered();
      expect(awx.launches()).toHaveLength(2);
      awx.states = ["successful"];
      await untilRuns(trigger.id, "succeeded", "succeeded", "succeeded");
      expect(awx.launches()[2]?.body.limit).toBe("dhcp-late-1,dhcp-late-2");
    });
    expect(await pageOf("dhcp-11")).toMatch(UPDATED);
    expect(await pageOf("dhcp-49", carol)).toMatch(UPDATED);
  });

  test("gets only the hosts that a filter finds, of a change set with others", async () => {
    await labAndBench();
    const trigger = await aTrigger(awx, { filters: { query: "network:Lab" } });
    awx.states = ["successful"];
    await working(1, async () => {
      const rows = ["Lab", "Bench"].map((network) => ({
        name: `in-${network.toLowerCase()}`,
        network,
        device_type: "Network",
      }));
      const { status } = await importsHosts(alice, rows);
      expect(status).toBe(200);
      const [run] = await untilRuns(trigger.id, "succeeded");
      expect(run).toMatchObject({ changes: 1, host_names: ["in-lab"] });
      expect(awx.launches().map(({ body }) => body.limit)).toEqual(["in-lab"]);
    });
  });

  test("says why a job failed: to all in our words, to admins in its own", async () => {
    const trigger = await aTrigger(awx);
    awx.states = ["failed"];
    awx.answer = ({ method, body }) =>
      method === "POST"
        ? Response.json({ job: 50, ignored_fields: { limit: body.limit } }, { status: 201 })
        : undefined;
    await working(1, async () => {
      await aHost({ name: "broken-1" });
      const [run] = await untilRuns(trigger.id, "failed");
      expect(run.message).toBe("the job failed");
      expect(run.detail).toBe("Host vault-canary could not be reached");
    });
    const page = await pageOf("broken-1", carol);
    expect(page).toContain("DHCP failed: the job failed");
    expect(page).not.toContain("vault-canary");
    expect((await api(carol).get(`/triggers/${trigger.id}/runs`)).status).toBe(403);
  });

  test("says that it ignores the limit, and that no host is left for one", async () => {
    const trigger = await aTrigger(awx);
    awx.states = ["running"];
    awx.answer = ({ method }) =>
      method === "POST"
        ? Response.json({ job: 50, ignored_fields: { limit: "x" } }, { status: 201 })
        : undefined;
    await working(1, async () => {
      const { id } = await aHost();
      const [run] = await untilRuns(trigger.id, "started");
      expect(run.detail).toContain("AWX ignored limit");
      awx.states = ["successful"];
      await untilRuns(trigger.id, "succeeded");
      awx.forget();
      await api(alice).delete(`/network/hosts/${id}`);
      await untilRuns(trigger.id, "succeeded", "skipped");
      expect(awx.received).toEqual([]);
    });
  });
});

test("GitLab gets a pipeline with variables, and its end comes back", async () => {
  const trigger = await aTrigger(gitlab, {
    template: "gitlab",
    project: "network/dhcp",
    ref: "main",
    variables: { HOSTS: '{{ hosts.name | join " " }}', NETWORKS: "{{ counts.networks }}" },
  });
  gitlab.states = ["running", "running", "success"];
  await working(1, async () => {
    await aHost({ name: "lab-1" });
    await untilRunsInTime(trigger.id, "started");
    const [run] = await untilRuns(trigger.id, "succeeded");
    expect(run.url).toBe(`${gitlab.url}/network/dhcp/-/pipelines/61`);
  });
  expect(gitlab.launches()[0]?.body).toEqual({
    ref: "main",
    variables: [
      { key: "HOSTS", value: "lab-1" },
      { key: "NETWORKS", value: "0" },
    ],
  });
});

test("GitLab says no more than that a pipeline was started to a trigger token", async () => {
  const trigger = await aTrigger(gitlab, {
    ...{ template: "gitlab", project: "network/dhcp", ref: "main", token_kind: "trigger" },
    variables: {},
  });
  await working(1, async () => {
    await aHost({ name: "lab-1" });
    await untilRuns(trigger.id, "succeeded");
  });
  expect(gitlab.received.map(({ path }) => path)).toEqual([
    "/api/v4/projects/network%2Fdhcp/trigger/pipeline",
  ]);
  const page = await pageOf("lab-1", carol);
  expect(page).toContain("DHCP: the pipeline was started; how it ends is not known");
  expect(page).not.toContain("DHCP updated");
});

test("Jenkins gets a build, which is followed from the queue to its end", async () => {
  const trigger = await aTrigger(jenkins, {
    template: "jenkins",
    job: "network/dhcp update",
    username: "robot",
    variables: { HOSTS: "{{ limit }}" },
  });
  jenkins.states = ["queued", "left", "building", "UNSTABLE"];
  await working(1, async () => {
    await aHost({ name: "lab-1" });
    const [run] = await untilRuns(trigger.id, "failed");
    expect(run.message).toBe("the build is unstable");
    expect(run.url).toBe(`${jenkins.url}/job/network/job/dhcp%20update/5/`);
  });
  expect(jenkins.launches()[0]?.text).toBe("HOSTS=lab-1");
});

describe("a server that does not start the job", () => {
  test("is asked again, then the run gives up, and can be repeated", async () => {
    const trigger = await aTrigger(awx);
    awx.answer = () => new Response(`busy ${TOKEN}`, { status: 503 });
    await working(1, async () => {
      await aHost({ name: "down-1" });
      await untilRuns(trigger.id, "launching");
      const { sql } = await service();
      while (awx.launches().length < 2) {
        await letTimePass(trigger.id);
        await Bun.sleep(300);
      }
      await sql`update trigger_runs set attempts = 14 where subscription_id = ${trigger.id} and attempts < 14`;
      await letTimePass(trigger.id);
      const [run] = await untilRuns(trigger.id, "gave_up");
      expect(run).toMatchObject({ message: "the server answered 503", detail: "busy …" });
      expect(await pageOf("down-1")).toContain("DHCP failed: the server answered 503");
      awx.forget();
      awx.states = ["successful"];
      const again = await api(alice).post(`/triggers/${trigger.id}/runs/${run.id}/again`, {});
      expect(again.status).toBe(201);
      await untilRuns(trigger.id, "gave_up", "succeeded");
      expect(awx.launches()[0]?.body.limit).toBe("down-1");
    });
  });

  test("and repeats the secret is quoted without it", async () => {
    const trigger = await aTrigger(jenkins, {
      ...{ template: "jenkins", job: "network/x", username: "robot", secret: 'top"secret' },
    });
    const pair = Buffer.from('robot:top"secret').toString("base64");
    jenkins.answer = () => Response.json({ said: [pair, 'top"secret'] }, { status: 400 });
    await working(1, async () => {
      await aHost();
      const [run] = await untilRuns(trigger.id, "gave_up");
      expect(run.detail).toBe('{"said":["…","…"]}');
    });
  });

  test("and redirects is not followed", async () => {
    const trigger = await aTrigger(awx);
    awx.answer = ({ path }) =>
      path.includes("launch") ? Response.redirect(`${awx.url}/elsewhere`, 307) : undefined;
    await working(1, async () => {
      await aHost();
      const [run] = await untilRuns(trigger.id, "gave_up");
      expect(run.message).toBe("the server answered 307");
      expect(awx.received).toHaveLength(1);
    });
  });

  test("because its address may not be used is never asked", async () => {
    const trigger = await aTrigger(awx);
    await (await service()).sql`
      update subscriptions set url = ${awx.url.replace("127.0.0.1", "0.0.0.0")} where id = ${trigger.id}`;
    await working(1, async () => {
      await aHost();
      const [run] = await untilRunsSay(trigger.id, "launching");
      expect(run.detail).toContain("is an unspecified address, which is never used");
      expect(awx.received).toEqual([]);
    });
  });

  test("because the request cannot be made is asked again, and not for ever", async () => {
    const trigger = await aTrigger(anyServer, { template: "post", body: {} });
    const { sql } = await service();
    await sql`
      update subscriptions set settings = settings || '{"secret_header": "not a header"}' where id = ${trigger.id}`;
    await working(1, async () => {
      await aHost();
      const [run] = await untilRunsSay(trigger.id, "launching");
      expect(run).toMatchObject({ message: "the request could not be made", attempts: 1 });
      await sql`update trigger_runs set attempts = 14 where subscription_id = ${trigger.id}`;
      await letTimePass(trigger.id);
      await untilRuns(trigger.id, "gave_up");
      expect(anyServer.received).toEqual([]);
    });
  });

  test("because the request would be too long gives up", async () => {
    const trigger = await aTrigger(anyServer, {
      template: "post",
      body: Object.fromEntries(
        Array.from({ length: 90 }, (_, at) => [
          `a${at}`,
          `{{ hosts.name | join "${"x".repeat(130)}" }}`,
        ]),
      ),
    });
    await working(1, async () => {
      for (let at = 0; at < 40; at += 1) await aHost({ name: `long-${at}` });
      const [run] = await untilRuns(trigger.id, "gave_up");
      expect(run.message).toBe("the request would be too long");
      expect(anyServer.received).toEqual([]);
    });
  });

  test("because it refuses the token gives up at once", async () => {
    const trigger = await aTrigger(awx, { secret: "another" });
    await working(1, async () => {
      await aHost();
      const [run] = await untilRuns(trigger.id, "gave_up");
      expect(run).toMatchObject({ message: "the server answered 401", attempts: 1 });
    });
  });
});

test("several instances launch a job once, and again only if one died while it did", async () => {
  const trigger = await aTrigger(awx);
  const late = Promise.withResolvers<Response>();
  let isDead = true;
  awx.answer = () => (isDead ? late.promise : undefined);
  awx.states = ["successful"];
  await aHost({ name: "once-1" });
  await working(3, async () => {
    await untilRuns(trigger.id, "launching");
    await Bun.sleep(600);
    expect(awx.launches()).toHaveLength(1);
    // The lease of the instance that does not come back runs out.
    isDead = false;
    await letTimePass(trigger.id);
    const [run] = await untilRuns(trigger.id, "succeeded");
    expect(run.attempts).toBe(2);
    expect(awx.launches()).toHaveLength(2);
    expect(awx.launches()[1]?.body).toEqual(awx.launches()[0]?.body);
    // It comes back after all: its answer is not believed any more.
    late.resolve(new Response(null, { status: 400 }));
    await Bun.sleep(200);
    await untilRuns(trigger.id, "succeeded");
  });
});

test("an instance that ends gives back a launch without an answer, as if it had not been tried", async () => {
  const trigger = await aTrigger(awx);
  awx.answer = () => new Promise(() => {});
  awx.states = ["successful"];
  await aHost({ name: "back-1" });
  await working(1, async () => {
    await untilRuns(trigger.id, "launching");
    while (awx.launches().length === 0) await Bun.sleep(20);
  });
  expect(await runsOf(trigger.id)).toMatchObject([{ state: "launching", attempts: 0 }]);
  awx.answer = undefined;
  await working(1, async () => {
    const [run] = await untilRuns(trigger.id, "succeeded");
    expect(run.attempts).toBe(1);
  });
});

describe("a trigger whose owner does not see everything", () => {
  const BODY = [
    ...[
      "{{ hosts.name }}",
      "{{ hosts.fqdn }}",
      "{{ deleted_hosts }}",
      "{{ groups }}",
      "{{ networks }}",
    ],
    ...["{{ kinds }}", "{{ users }}", "{{ changes.user }}", "{{ counts.changes }}", "{{ limit }}"],
  ];
  const SLOW = {
    template: "post",
    owner: "carol",
    body: BODY,
    quiet_seconds: 300,
    most_seconds: 600,
  };

  /** What is sent after the same changes, with those of hidden records between them or without. */
  async function sentIn(hasSecrets: boolean): Promise<string[]> {
    anyServer.forget();
    await (await service()).empty();
    const scope = await aScope({
      name: "Lab",
      supernet: "10.1.0.0/16",
      domain_id: (await aLabDomain()).id,
    });
    const open = await aNetwork({ scope: scope.name, vlan_name: "Open" });
    const sensitive = { scope: scope.name, vlan_name: "Canary", sensitive: true };
    if (hasSecrets) await aNetwork(sensitive);
    const trigger = await aTrigger(anyServer, SLOW);
    await working(1, async () => {
      if (hasSecrets) {
        await aHost({ name: "canary-1", network: "Canary" });
        await aHost({ name: "canary-2", network: "Canary" });
        await api(alice).delete(`/network/hosts/${await hostId("canary-2")}`);
        await untilGathered();
        expect(await runsOf(trigger.id)).toEqual([]);
      }
      await aHost({ name: "plain-1", network: open.vlan_name });
      await aHost({ name: "plain-2", network: open.vlan_name });
      await api(alice).delete(`/network/hosts/${await hostId("plain-2")}`);
      const members = hasSecrets ? ["canary-1", "plain-1"] : ["plain-1"];
      await aGroup({ name: "mixed", type: "static", hosts: members });
      if (hasSecrets) {
        await api(alice).patch(`/network/hosts/${await hostId("canary-1")}`, { description: "x" });
      }
      await untilGathered();
      const [run] = await untilRuns(trigger.id, "succeeded");
      expect(run.host_names).toEqual(["plain-1"]);
      if (hasSecrets) expect(await pageOf("canary-1")).not.toContain("DHCP");
    });
    return anyServer.received.map(({ text }) => text);
  }

  test("sends the same whether hidden records exist or not", async () => {
    const [without, ...others] = await sentIn(false);
    expect(others).toEqual([]);
    expect(without).toContain(
      '["plain-1"],["plain-1.lab.example.org"],["plain-2"],["mixed"],["Open"]',
    );
    expect(await sentIn(true)).toEqual([without!]);
  });

  test("sends nothing of what was hidden since", async () => {
    const scope = await aScope();
    const network = await aNetwork({ scope: scope.name });
    const trigger = await aTrigger(anyServer, SLOW);
    await working(1, async () => {
      await aHost({ name: "canary-1", network: network.vlan_name });
      await untilRunsInTime(trigger.id, "waiting");
      await api(alice).patch(`/network/networks/${network.id}`, { sensitive: true });
      await untilGathered();
      await untilRuns(trigger.id, "skipped");
    });
    expect(anyServer.received).toEqual([]);
  });
});

function aLabDomain() {
  return aDomain({ name: "lab.example.org" });
}

test("names stay data, whatever they contain", async () => {
  const name = `x"}, {{ limit }} 'y' \\ <b> {{ hosts | json }}`;
  const trigger = await aTrigger(anyServer, {
    template: "post",
    body: {
      text: "groups: {{ groups }}",
      list: "{{ groups }}",
      deep: [{ a: '{{ groups | join "{" }}' }],
    },
    headers: { "x-site": "lab" },
    secret_header: "x-key",
  }).catch((error) => String(error));
  expect(trigger).toContain("placeholders");
  const made = await aTrigger(anyServer, {
    template: "post",
    body: {
      text: "groups: {{ groups }}",
      list: "{{ groups }}",
      deep: [{ a: "{{ groups | json }}" }],
    },
    headers: { "x-site": "lab" },
    secret_header: "x-key",
  });
  await working(1, async () => {
    await aGroup({ name });
    await untilRuns(made.id, "succeeded");
  });
  const [request] = anyServer.received;
  expect(request?.headers.get("x-key")).toBe(TOKEN);
  expect(request?.headers.get("x-site")).toBe("lab");
  expect(request?.body).toEqual({
    text: `groups: ${name}`,
    list: [name],
    deep: [{ a: JSON.stringify([name]) }],
  });
});

/** It is due 20 seconds after the last change, and 60 after the first one at most. */
async function isDueAfterQuiet(id: number): Promise<boolean> {
  const { sql } = await service();
  const [run] = await sql`
    select next_at = (
      select least(max(at) + interval '20 seconds', min(at) + interval '60 seconds')
      from change_sets where change_sets.id = any(run.change_sets)) as due
    from trigger_runs run where subscription_id = ${id}`;
  return run.due;
}

/** Waits until something is said about the only run, which has this state. */
async function untilRunsSay(id: number, state: string): Promise<any[]> {
  for (;;) {
    const [run] = await untilRuns(id, state);
    if (run.message) return [run];
    await Bun.sleep(50);
  }
}

/** Every change was looked at. */
async function untilGathered(): Promise<void> {
  const { sql } = await service();
  const open = () => sql`select from deliveries where status = 'waiting'`;
  while ((await open()).length > 0) await Bun.sleep(50);
}

async function hostId(name: string): Promise<number> {
  const { body } = await api(alice).get(`/network/hosts?name=${name}`);
  return body[0].id;
}
