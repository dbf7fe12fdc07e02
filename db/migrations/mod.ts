import ground from "./0001_ground.sql" with { type: "text" };
import auditLog from "./0002_audit_log.sql" with { type: "text" };
import unseenChanges from "./0003_unseen_changes.sql" with { type: "text" };

/** In order, written out, so that the single binary carries them. A migration only goes forward. */
export const migrations: ReadonlyArray<{ name: string; sql: string }> = [
  { name: "0001_ground", sql: ground },
  { name: "0002_audit_log", sql: auditLog },
  { name: "0003_unseen_changes", sql: unseenChanges },
];
