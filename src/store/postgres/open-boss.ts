import type { Clock as BossClock, Db as BossDb, PgBoss } from "pg-boss";
import { systemClock } from "../../lib/clock.ts";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";
import { grantHint } from "./queue-schema.ts";

interface BossPlace {
  /** Without credentials. */
  readonly place: string;
  readonly queues: readonly string[];
}

/** Creates the schema and the queues if they are missing. Many processes may do this at once. */
export async function openBoss(raw: BossDb, schema: string, where: BossPlace): Promise<PgBoss> {
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({
    db: raw,
    schema,
    // Even `if not exists` needs the right to create schemas.
    createSchema: !(await hasSchema(raw, schema)),
    supervise: false,
    schedule: false,
    clock: noTimers,
  });
  // After a start it looks once for commands of its migrations, in the background. If the server goes away meanwhile,
  // our own next call reports it.
  boss.on("error", () => {});
  try {
    await boss.start();
    for (const queue of where.queues) {
      if ((await boss.getQueue(queue)) === null) await boss.createQueue(queue, { deleteAfterSeconds: 0 });
      // Reads the queue's settings now: later calls run inside transactions, and must need no second connection.
      await boss.findJobs(queue, { id: "00000000-0000-0000-0000-000000000000" });
    }
    return boss;
  } catch (error) {
    throw await refusedError(error, raw, schema, where.place);
  }
}

async function hasSchema(raw: BossDb, schema: string): Promise<boolean> {
  const { rows } = await raw.executeSql("select 1 as one from pg_namespace where nspname = $1", [schema]);
  return rows.length > 0;
}

const FORBIDDEN = "42501";

async function refusedError(error: unknown, raw: BossDb, schema: string, place: string): Promise<unknown> {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (systemErrorCode(error) !== FORBIDDEN && systemErrorCode(cause) !== FORBIDDEN) return error;
  const { rows } = await raw.executeSql("select current_user as role");
  const { role } = rows[0] as { readonly role: string };
  return new OldhandError(
    "config",
    `the role ${role} may not create the schema ${schema} in the database at ${place}`,
    {
      hint: grantHint(schema, role),
      cause: error,
    },
  );
}

/** We call pg-boss; it does nothing by itself. */
const noTimers: BossClock = {
  now: () => systemClock.now(),
  setTimeout: () => null,
  clearTimeout: () => {},
  setInterval: () => null,
  clearInterval: () => {},
};
