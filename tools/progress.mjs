import process from "node:process";

/** Shows the current step and its duration: in one line on a terminal, else a new line every few seconds. */
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
