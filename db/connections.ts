import type { SQL } from "bun";

/**
 * A pool that uses the connection that was used last: its plans and caches are warm, and those that are not needed become
 * idle. Bun.SQL 1.4.5 takes another connection for each transaction.
 */
export interface Connections {
  /** Work on a connection that nobody else uses meanwhile. */
  use<T>(work: (using: SQL) => Promise<T>): Promise<T>;
  close(patience: number): Promise<void>;
}

/** `connect` makes one connection. The caller limits how many are used at once. */
export function connections(connect: () => SQL): Connections {
  const all = new Set<SQL>();
  const idle: SQL[] = [];

  function another(): SQL {
    const made = connect();
    all.add(made);
    return made;
  }

  async function use<T>(work: (using: SQL) => Promise<T>): Promise<T> {
    const using = idle.pop() ?? another();
    try {
      return await work(using);
    } finally {
      idle.push(using);
    }
  }

  async function close(timeout: number): Promise<void> {
    await Promise.all([...all].map((one) => one.close({ timeout })));
  }

  return { use, close };
}
