// The rules of axe for accessible pages.
import type { Page } from "playwright-core";

export const ALL = '{ rules: { "target-size": { enabled: true } } }';
const AXE = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

/** Added by the browser to each page that is opened from now on, because the content security policy allows no other
 * script. */
export async function axeOf(page: Page): Promise<(options: string) => Promise<string[]>> {
  await page.addInitScript({ content: AXE });
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails: failure } = await session.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (failure) throw new Error(failure.exception?.description ?? failure.text);
    return result.value;
  };
  // Only violations, and without selectors of elements: this takes half the time.
  const check = `(options) =>
    axe.run({ ...options, resultTypes: ["violations"], selectors: false, preload: false }).then(({ violations }) =>
      JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html))))`;
  return async (options) => JSON.parse(await evaluate(`(${check})(${options})`));
}
