import type { Store } from "./engine/db.ts";
import type { Queue, QueueOptions } from "./engine/queue.ts";

/** Opens the queue of work. Apart from `open.ts`, because a hook never does. */
export async function openQueue({ db, kind }: Pick<Store, "db" | "kind">, options: QueueOptions): Promise<Queue> {
  if (kind === "sqlite") return (await import("./sqlite/queue.ts")).openSqliteQueue(db, options);
  return (await import("./postgres/queue.ts")).openPostgresQueue(db, options);
}
