import type { Snapshot } from "../../domain/goal/snapshot.ts";
import type { Db } from "../engine/db.ts";

const columns = "id, at, cycle_count, content, body, source";

/** Once for each id. False if it is there already. */
export async function addSnapshot(db: Db, snapshot: Snapshot): Promise<boolean> {
  const { id, at, cycleCount, content, source, ...body } = snapshot;
  const added = await db.run(
    `insert into snapshots (${columns}) values (?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    [id, at, cycleCount, content, JSON.stringify(body), source],
  );
  return added === 1;
}

/** The newest first: by their cycles, because clocks may go back. Imported ones come after our own. */
export async function listSnapshots(db: Db, { limit }: { readonly limit: number }): Promise<Snapshot[]> {
  const rows = await db.all<SnapshotRow>(
    `select ${columns} from snapshots
     order by case when source is null then 0 else 1 end, cycle_count desc, at desc, id desc limit ?`,
    [limit],
  );
  return rows.map(fromRow);
}

/** Of our own: one that was imported says nothing about how it stands here. */
export async function readLastSnapshot(db: Db): Promise<Snapshot | null> {
  const row = await db.get<SnapshotRow>(
    `select ${columns} from snapshots where source is null order by cycle_count desc, at desc, id desc limit 1`,
  );
  return row ? fromRow(row) : null;
}

interface SnapshotRow {
  readonly id: string;
  readonly at: number;
  readonly cycle_count: number;
  readonly content: string;
  readonly body: string;
  readonly source: string | null;
}

function fromRow({ cycle_count, body, ...row }: SnapshotRow): Snapshot {
  const fields = JSON.parse(body) as Omit<Snapshot, "id" | "at" | "cycleCount" | "content" | "source">;
  return { ...row, cycleCount: cycle_count, ...fields };
}
