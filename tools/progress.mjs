import process from "node:process";

/** Says what is going on and for how long: on a terminal in one line, else every few seconds anew. */
export function showProgress(what) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1_000);
  const { isTTY } = process.stderr;
  const say = isTTY
    ? () => process.stderr.write(`\r${what} ${seconds()} s`)
    : () => process.stderr.write(`${what} ${seconds()} s\n`);
  say();
  const timer = setInterval(say, isTTY ? 200 : 5_000);
  return () => {
    clearInterval(timer);
    say();
    if (isTTY) process.stderr.write("\n");
  };
}
