import { redact } from "../../domain/redact/redact.ts";
import { newId } from "../../lib/ids.ts";
import type { Db } from "../engine/db.ts";

/** Something the owner must know of. It is shown until it was seen. */
export interface Alert {
  readonly id: string;
  readonly at: number;
  /** What it is about: `job backup`. */
  readonly subject: string;
  readonly text: string;
  readonly seenAt: number | null;
}

export async function insertAlert(
  tx: Db,
  alert: { readonly subject: string; readonly text: string; readonly now: number },
): Promise<void> {
  await tx.run("insert into alerts (id, at, subject, text, seen_at) values (?, ?, ?, ?, null)", [
    newId("al", alert.now),
    alert.now,
    alert.subject,
    redact(alert.text),
  ]);
}

/** What is known of a subject now takes the place of what its unseen alerts say. They stay as old as they are. */
export async function rewriteAlert(tx: Db, subject: string, text: string): Promise<void> {
  await tx.run("update alerts set text = ? where subject = ? and seen_at is null", [redact(text), subject]);
}

/** Newest first. */
export async function listAlerts(db: Db, of: { readonly unseen: boolean; readonly limit: number }): Promise<Alert[]> {
  const rows = await db.all<AlertRow>(
    `select id, at, subject, text, seen_at from alerts ${of.unseen ? "where seen_at is null" : ""} order by at desc, id desc limit ?`,
    [of.limit],
  );
  return rows.map((row) => ({ id: row.id, at: row.at, subject: row.subject, text: row.text, seenAt: row.seen_at }));
}

/** Marks the alerts about a subject as seen. Returns how many were not. */
export function markAlertsSeen(db: Db, subject: string, now: number): Promise<number> {
  return db.run("update alerts set seen_at = ? where subject = ? and seen_at is null", [now, subject]);
}

export function pruneAlerts(db: Db, before: number): Promise<number> {
  return db.run("delete from alerts where at < ?", [before]);
}

interface AlertRow {
  readonly id: string;
  readonly at: number;
  readonly subject: string;
  readonly text: string;
  readonly seen_at: number | null;
}
