import type { Cycle, CycleAction, CycleOutcome, CycleStep } from "../../domain/goal/cycle.ts";
import type { Db } from "../engine/db.ts";

const columns =
  "id, number, began_at, ended_at, worker, step, action, rule, goal, task, attempt, session, model, cost, outcome, reason";

/** The next cycle of this mind. The number makes two that begin at once impossible: one of them throws. */
export async function insertCycle(
  db: Db,
  { id, beganAt, worker }: Pick<Cycle, "id" | "beganAt" | "worker">,
): Promise<Cycle> {
  return db.tx(async (tx) => {
    const last = await tx.get<{ readonly number: number | null }>("select max(number) as number from cycles");
    const cycle: Cycle = {
      ...{
        id,
        number: (last?.number ?? 0) + 1,
        beganAt,
        endedAt: null,
        worker,
        step: "orient",
        action: null,
        rule: null,
      },
      ...{ goal: null, task: null, attempt: null, session: null, model: null, cost: 0, outcome: null, reason: null },
    };
    await tx.run(
      `insert into cycles (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      toValues(cycle),
    );
    return cycle;
  });
}

/** Changes a cycle that has not ended. False if it has: somebody else found it lost, and it must write nothing more. */
export async function updateOpenCycle(db: Db, cycle: Cycle): Promise<boolean> {
  const { endedAt, step, action, rule, goal, task, attempt, session, model, cost, outcome, reason, id } = cycle;
  const changed = await db.run(
    `update cycles set ended_at = ?, step = ?, action = ?, rule = ?, goal = ?, task = ?, attempt = ?, session = ?,
       model = ?, cost = ?, outcome = ?, reason = ? where id = ? and ended_at is null`,
    [endedAt, step, action, rule, goal, task, attempt, session, model, cost, outcome, reason, id],
  );
  return changed === 1;
}

/** The newest first. */
export async function listCycles(
  db: Db,
  { since, limit }: { readonly since?: number | undefined; readonly limit?: number | undefined } = {},
): Promise<Cycle[]> {
  const rows = await db.all<CycleRow>(
    `select ${columns} from cycles where began_at >= ? order by number desc limit ?`,
    [since ?? 0, limit ?? 1_000_000],
  );
  return rows.map(fromRow);
}

/** The cycle that a session worked for at this time; null if it worked for none. */
export async function findCycleOfSession(
  db: Db,
  { session, at }: { readonly session: string; readonly at: number },
): Promise<Pick<Cycle, "id" | "goal"> | null> {
  const row = await db.get<Pick<Cycle, "id" | "goal">>(
    "select id, goal from cycles where session = ? and began_at <= ? order by number desc limit 1",
    [session, at],
  );
  return row ?? null;
}

/** Cycles that made tasks for a goal, or blocked a whole goal; the oldest first. */
export async function listPlanCycles(db: Db): Promise<Cycle[]> {
  const rows = await db.all<CycleRow>(
    `select ${columns} from cycles where goal is not null and task is null and action in ('decompose', 'blocked') order by number`,
  );
  return rows.map(fromRow);
}

/** Cycles that began and did not end. */
export async function listOpenCycles(db: Db): Promise<Cycle[]> {
  return (await db.all<CycleRow>(`select ${columns} from cycles where ended_at is null order by number`)).map(fromRow);
}

interface CycleRow {
  readonly id: string;
  readonly number: number;
  readonly began_at: number;
  readonly ended_at: number | null;
  readonly worker: string;
  readonly step: string;
  readonly action: string | null;
  readonly rule: string | null;
  readonly goal: string | null;
  readonly task: string | null;
  readonly attempt: string | null;
  readonly session: string | null;
  readonly model: string | null;
  readonly cost: number;
  readonly outcome: string | null;
  readonly reason: string | null;
}

function toValues(one: Cycle): (string | number | null)[] {
  return [
    ...[one.id, one.number, one.beganAt, one.endedAt, one.worker, one.step, one.action, one.rule, one.goal, one.task],
    ...[one.attempt, one.session, one.model, one.cost, one.outcome, one.reason],
  ];
}

function fromRow({ began_at, ended_at, step, action, rule, outcome, ...row }: CycleRow): Cycle {
  return {
    ...row,
    beganAt: began_at,
    endedAt: ended_at,
    step: step as CycleStep,
    action: action as CycleAction | null,
    rule: rule as Cycle["rule"],
    outcome: outcome as CycleOutcome | null,
  };
}
