import type { Addressee } from "../../domain/work/addressee.ts";
import type { AgentMessage, MessageKind, StoredMessageKind } from "../../domain/work/message.ts";
import type { Origin } from "../../domain/rule/rule.ts";
import type { Db, SqlValue } from "../engine/db.ts";

/** False if it replies to a query that has a reply already. */
export async function insertMessage(db: Db, message: AgentMessage): Promise<boolean> {
  const { id, at, kind, sender, origin, recipient, text, replyTo, takenBy, takenAt } = message;
  const made = await db.run(
    `insert into messages (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    [id, at, kind, sender, origin, recipient, text, replyTo, takenBy, takenAt],
  );
  return made === 1;
}

/** Who was seen so far: hosts with sessions, and whoever sent or took a message. */
export async function listKnownNames(db: Db): Promise<{
  readonly hosts: readonly string[];
  readonly exact: readonly string[];
}> {
  const namesOf = async (sql: string) => (await db.all<{ name: string }>(sql)).map(({ name }) => name);
  return {
    hosts: await namesOf("select distinct host as name from sessions order by 1"),
    exact: await namesOf(
      `select sender as name from messages union select taken_by from messages where taken_by is not null
       union select recipient from message_receipts`,
    ),
  };
}

export async function getMessage(db: Db, id: string): Promise<AgentMessage | null> {
  const row = await db.get<MessageRow>(`select ${columns} from messages where id = ?`, [id]);
  return row ? fromRow(row) : null;
}

/**
 * Takes the oldest messages that wait for this addressee. Two processes never get the same one; a broadcast is given to
 * each addressee once.
 */
export function takeMessages(
  db: Db,
  to: Addressee,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly AgentMessage[]> {
  return db.tx(async (tx) => {
    const single = waitingFor(to);
    const direct = await tx.all<MessageRow>(
      `select ${columns} from messages where ${single.sql} order by at, id limit ? ${tx.dialect.skipLocked}`,
      [...single.values, limit],
    );
    const every = broadcastsFor(to);
    const broadcasts = await tx.all<MessageRow>(
      `select ${columns} from messages where ${every.sql} order by at, id limit ?`,
      [...every.values, limit],
    );
    const oldest = [...direct, ...broadcasts].toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    const taken: AgentMessage[] = [];
    for (const row of oldest.slice(0, limit)) {
      const message = fromRow(row);
      if (message.kind === "broadcast") {
        if (await noteReceipt(tx, message.id, to, now)) taken.push(message);
      } else if (await markMessageTaken(tx, message.id, to, now)) {
        taken.push({ ...message, takenBy: to.exact, takenAt: now });
      }
    }
    return taken;
  });
}

/** False if somebody took it before. */
export async function markMessageTaken(tx: Db, id: string, by: Addressee, now: number): Promise<boolean> {
  const changed = await tx.run("update messages set taken_by = ?, taken_at = ? where id = ? and taken_by is null", [
    by.exact,
    now,
    id,
  ]);
  return changed === 1;
}

async function noteReceipt(tx: Db, message: string, to: Addressee, now: number): Promise<boolean> {
  const made = await tx.run(
    "insert into message_receipts (message, recipient, at) values (?, ?, ?) on conflict do nothing",
    [message, to.exact, now],
  );
  return made === 1;
}

/** How many messages wait for it: `own` have its name on them or are broadcasts, `open` are for any agent. */
export async function countWaitingMessages(
  db: Db,
  to: Addressee,
): Promise<{ readonly own: number; readonly open: number }> {
  const waiting = waitingFor(to);
  const every = broadcastsFor(to);
  const row = await db.get<{ own: number; open: number }>(
    `select count(case when recipient is not null or kind = 'broadcast' then 1 end) as own,
       count(case when recipient is null and kind <> 'broadcast' then 1 end) as open
     from messages where (${waiting.sql}) or (${every.sql})`,
    [...waiting.values, ...every.values],
  );
  return { own: Number(row?.own ?? 0), open: Number(row?.open ?? 0) };
}

/** How many messages of this sender nobody has taken yet. */
export async function countUntakenMessages(db: Db, sender: string): Promise<number> {
  const row = await db.get<{ count: number }>(
    "select count(*) as count from messages where sender = ? and taken_by is null and kind <> 'broadcast'",
    [sender],
  );
  return Number(row?.count ?? 0);
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

function waitingFor(to: Addressee): Condition {
  const named = ownMessages(to);
  const open = to.isAgent ? "or (recipient is null and sender <> ?)" : "";
  return {
    sql: `kind <> 'broadcast' and taken_by is null and (${named.sql} ${open})`,
    values: [...named.values, ...(to.isAgent ? [to.exact] : [])],
  };
}

/** An agent's own messages come back to it only if they name it exactly. */
function ownMessages({ exact, names }: Addressee): Condition {
  return {
    sql: `(recipient = ? or (sender <> ? and recipient in (${names.map(() => "?").join(", ")})))`,
    values: [exact, exact, ...names],
  };
}

function broadcastsFor({ exact, isAgent }: Addressee): Condition {
  if (!isAgent) return { sql: "1 = 0", values: [] };
  return {
    sql: `kind = 'broadcast' and sender <> ? and not exists
      (select 1 from message_receipts where message = messages.id and message_receipts.recipient = ?)`,
    values: [exact, exact],
  };
}

/** A message with what became of it. */
export interface ListedMessage extends AgentMessage {
  readonly reply: Pick<AgentMessage, "id" | "at" | "sender" | "origin" | "text"> | null;
  /** How many agents a broadcast has reached. */
  readonly reached: number;
}

/** Newest first. Replies are given with their queries. With `of`, only what it sent, got or would get by name. */
export async function listMessages(
  db: Db,
  filter: {
    readonly kind?: MessageKind | undefined;
    readonly isWaiting?: boolean | undefined;
    readonly of?: Addressee | undefined;
    readonly limit: number;
  },
): Promise<readonly ListedMessage[]> {
  const conditions: Condition[] = [{ sql: "m.kind <> 'reply'", values: [] }];
  if (filter.kind !== undefined) conditions.push({ sql: "m.kind = ?", values: [filter.kind] });
  if (filter.isWaiting) conditions.push({ sql: "m.taken_by is null and m.kind <> 'broadcast'", values: [] });
  if (filter.of !== undefined) conditions.push(concerns(filter.of));
  const rows = await db.all<ListedRow>(
    `select ${columns
      .split(", ")
      .map((name) => `m.${name}`)
      .join(", ")},
       r.id as reply_id, r.at as reply_at, r.sender as reply_sender, r.origin as reply_origin, r.text as reply_text,
       (select count(*) from message_receipts where message = m.id) as reached
     from messages m left join messages r on r.reply_to = m.id
     where ${conditions.map(({ sql }) => sql).join(" and ")} order by m.at desc, m.id desc limit ?`,
    [...conditions.flatMap(({ values }) => values), filter.limit],
  );
  return rows.map(fromListedRow);
}

function concerns({ exact, names }: Addressee): Condition {
  const recipients = names.map(() => "?").join(", ");
  return {
    sql: `(m.sender = ? or m.taken_by = ? or (m.taken_by is null and m.recipient in (${recipients})) or exists
      (select 1 from message_receipts where message = m.id and message_receipts.recipient = ?))`,
    values: [exact, exact, ...names, exact],
  };
}

/** Deletes messages from before this time, with their replies and receipts. Returns how many messages. */
export function pruneMessages(db: Db, before: number): Promise<number> {
  return db.tx(async (tx) => {
    const old = "select id from messages where at < ?";
    await tx.run(`delete from message_receipts where message in (${old})`, [before]);
    const replies = await tx.run(`delete from messages where reply_to in (${old})`, [before]);
    return replies + (await tx.run("delete from messages where at < ?", [before]));
  });
}

const columns = "id, at, kind, sender, origin, recipient, text, reply_to, taken_by, taken_at";

interface MessageRow {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly sender: string;
  readonly origin: string;
  readonly recipient: string | null;
  readonly text: string;
  readonly reply_to: string | null;
  readonly taken_by: string | null;
  readonly taken_at: number | null;
}

interface ListedRow extends MessageRow {
  readonly reply_id: string | null;
  readonly reply_at: number | null;
  readonly reply_sender: string | null;
  readonly reply_origin: string | null;
  readonly reply_text: string | null;
  readonly reached: number;
}

function fromRow(row: MessageRow): AgentMessage {
  return {
    id: row.id,
    at: row.at,
    kind: row.kind as StoredMessageKind,
    sender: row.sender,
    origin: row.origin as Origin,
    recipient: row.recipient,
    text: row.text,
    replyTo: row.reply_to,
    takenBy: row.taken_by,
    takenAt: row.taken_at,
  };
}

function fromListedRow(row: ListedRow): ListedMessage {
  const { reply_id: id, reply_at: at, reply_sender: sender, reply_origin: origin, reply_text: text } = row;
  const reply =
    id === null ? null : { id, at: at ?? 0, sender: sender ?? "", origin: origin as Origin, text: text ?? "" };
  return { ...fromRow(row), reply, reached: Number(row.reached) };
}
