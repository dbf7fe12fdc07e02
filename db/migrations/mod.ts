import ground from "./0001_ground.sql" with { type: "text" };
import auditLog from "./0002_audit_log.sql" with { type: "text" };
import unseenChanges from "./0003_unseen_changes.sql" with { type: "text" };
import loginAddresses from "./0004_login_addresses.sql" with { type: "text" };
import searchLimits from "./0005_search_limits.sql" with { type: "text" };
import variableBytes from "./0006_variable_bytes.sql" with { type: "text" };

/** In order, written out, so that the single binary carries them. A migration only goes forward. */
export const migrations: ReadonlyArray<{ name: string; sql: string }> = [
  { name: "0001_ground", sql: ground },
  { name: "0002_audit_log", sql: auditLog },
  { name: "0003_unseen_changes", sql: unseenChanges },
  { name: "0004_login_addresses", sql: loginAddresses },
  { name: "0005_search_limits", sql: searchLimits },
  { name: "0006_variable_bytes", sql: variableBytes },
];
