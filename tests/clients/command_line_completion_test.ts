import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../running/processes.ts";
import { aLocation, carol, service } from "../support/mod.ts";
import { isMissing } from "../support/programs.ts";
import { aHome, aSite, as, onTerminal, run } from "./command_line.ts";

setDefaultTimeout(120_000);

describe("cadastre completion", () => {
  /** What bash makes of a line and the tabulator. */
  async function completed(env: Record<string, string>, lines: string[]): Promise<string[]> {
    const terminal = onTerminal({ ...env, PS1: "" }, "bash", "--norc", "--noprofile", "-i");
    terminal.type(
      "stty -echo; bind 'set enable-bracketed-paste off'; bind 'set completion-query-items -1'\r",
    );
    terminal.type("source <(cadastre completion bash); echo READY''.\r");
    await terminal.shows("READY.");
    const results: string[] = [];
    for (const [at, line] of lines.entries()) {
      // The completed line is an argument of printf: at its beginning and at its end.
      terminal.type(`${line}\t\u0001printf 'L${at}=<%s>\\n' "$(echo \u0005)"\r`);
      await until(`line ${at}`, () => {
        const [, found] = new RegExp(`^L${at}=<(.*)>\\r?$`, "m").exec(terminal.shown()) ?? [];
        if (found !== undefined) results.push(found);
        return found !== undefined;
      });
    }
    terminal.type("exit\r");
    await terminal.ended;
    return results;
  }

  test("bash completes commands, options, fields, values and names", async () => {
    await aSite();
    const lines = [
      ["cadastre devi", "cadastre device-types"],
      ["cadastre hosts cre", "cadastre hosts create"],
      ["cadastre hosts get w", "cadastre hosts get web-01"],
      ["cadastre hosts set web-01 descr", "cadastre hosts set web-01 description="],
      ["cadastre hosts set web-01 is_ioc=t", "cadastre hosts set web-01 is_ioc=true"],
      ["cadastre hosts create network=C", "cadastre hosts create network=CSLab"],
      ["cadastre hosts list --res", "cadastre hosts list --resume"],
      ["cadastre hosts list -o y", "cadastre hosts list -o yaml"],
      ["cadastre free C", "cadastre free CSLab"],
      ["cadastre vars w", "cadastre vars web-01"],
      ["cadastre call addItemC", "cadastre call addItemComment"],
      ["cadastre export ansi", "cadastre export ansible"],
      ["cadastre import host", "cadastre import hosts"],
      ["cadastre mig", "cadastre migrate"],
      ["cadastre locations get Hall\\ ", "cadastre locations get Hall A"],
    ];
    const found = await completed(
      await as(carol),
      lines.map(([line = ""]) => line),
    );
    expect(found).toEqual(lines.map(([, expected = ""]) => expected));
  });

  test("a name cannot run anything", async () => {
    await aLocation({ name: "$(touch owned)`touch owned`" });
    const env = await as(carol);
    const [found] = await completed(env, ["cadastre locations get "]);
    expect(found).toBe("cadastre locations get $(touch owned)`touch owned`");
    expect(existsSync(join(env.HOME!, "owned"))).toBe(false);
  });

  test("without a service it has the commands that need none, and says nothing", async () => {
    const env = aHome();
    expect(await run(env, "__complete", "lo")).toEqual({
      code: 0,
      out: "login\nlogout\n",
      err: "",
    });
    expect(await run(env, "__complete", "hosts", "")).toEqual({ code: 0, out: "", err: "" });
  });

  test.skipIf(isMissing("zsh"))("zsh takes its script", async () => {
    const script =
      "autoload -U compinit && compinit -D && source <(cadastre completion zsh) && whence _cadastre";
    const child = Bun.spawn(["zsh", "-fc", script], { env: aHome(), stdout: "pipe" });
    expect((await new Response(child.stdout).text()).trim()).toBe("_cadastre");
  });

  test.skipIf(isMissing("fish"))("fish completes", async () => {
    await aSite();
    const script = "cadastre completion fish | source; complete -C 'cadastre hosts get w'";
    const child = Bun.spawn(["fish", "-c", script], { env: await as(carol), stdout: "pipe" });
    expect((await new Response(child.stdout).text()).trim()).toBe("web-01");
  });
});

test("the document is read again only when it has changed, and completes while the service is away", async () => {
  const { origin } = await service();
  const asked: Array<string | null> = [];
  // Like a cache in front of the service.
  const proxy = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const isDocument = pathname.endsWith("/openapi.json");
      const known = request.headers.get("if-none-match");
      if (isDocument) asked.push(known);
      if (isDocument && known === '"one"') return new Response(null, { status: 304 });
      const answer = await fetch(origin + pathname + search, request);
      return isDocument
        ? Response.json(await answer.json(), { headers: { etag: '"one"' } })
        : answer;
    },
  });
  const env = await as(carol, proxy.url.origin);
  for (const _ of [1, 2]) expect((await run(env, "hosts", "list")).code).toBe(0);
  expect(asked).toEqual([null, '"one"']);
  await proxy.stop(true);
  expect((await run(env, "__complete", "devi")).out).toBe("device-types\n");
  expect((await run(env, "hosts", "list")).code).toBe(5);
  // Nothing of a former request is waited for, which would take a minute.
}, 50_000);
