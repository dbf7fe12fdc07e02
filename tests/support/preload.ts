// Loaded before every test file. A test that asks nothing of the service pays nothing here.
import { afterAll, beforeEach, setDefaultTimeout } from "bun:test";
import { stopCluster } from "./cluster.ts";
import { closeService, emptyService } from "./service.ts";

setDefaultTimeout(30_000);
beforeEach(emptyService);
afterAll(async () => {
  await closeService().finally(stopCluster);
});
