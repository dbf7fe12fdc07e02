// Loaded before every test file. The service starts with the first test that needs it.
import { afterAll, beforeEach } from "bun:test";
import { stopCluster } from "./cluster.ts";
import { closeService, emptyService } from "./service.ts";
import { closeAll } from "./teardown.ts";

beforeEach(emptyService);
afterAll(async () => {
  try {
    await closeService();
  } finally {
    try {
      await stopCluster();
    } finally {
      await closeAll();
    }
  }
});
