// Loaded before every test file. A test that asks nothing of the service pays nothing here.
import { afterAll, beforeEach } from "bun:test";
import { stopCluster } from "./cluster.ts";
import { closeService, emptyService } from "./service.ts";
import { closeAll } from "./teardown.ts";

beforeEach(emptyService);
afterAll(async () => {
  await closeService().finally(stopCluster).finally(closeAll);
});
