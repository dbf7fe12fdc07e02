// A thread that reads one long text of variables. It is ended after it has answered.
import { outcomeOf } from "../../input/threads.ts";
import { readVars } from "./text.ts";

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<string>) => {
  self.postMessage(await outcomeOf(() => readVars(data)));
};
