import type { Event } from "../domain/event/event.ts";
import { isFailure } from "../domain/event/event.ts";
import type { Stoppable } from "../lib/stopped.ts";
import type { Embedder } from "../models/embed/embedder.ts";
import type { Db, VectorRow } from "../store/engine/db.ts";
import { joinEventText } from "../store/events/searchable-events.ts";
import { listEventsAfter } from "../store/events/events.ts";
import { type Cursor, cursors, readCursor, writeCursor } from "../store/state/cursors.ts";
import { listPassagesAfter } from "../store/nouns/passages.ts";

export interface EmbedResult {
  readonly embedded: number;
  /** False if time ran out first. */
  readonly complete: boolean;
}

const BATCH = 64;
/** Events read at once; most are successful calls, which get no vector. */
const PAGE = 500;

/**
 * Computes missing vectors of this model: passages first, because they are few and searched most, then events
 * in order. Continues where it stopped; a new model starts from the beginning.
 */
export async function embedMissing(
  ctx: { readonly db: Db },
  embedder: Embedder,
  options: {
    readonly timeUp: Stoppable;
    readonly onBatch?: (embedded: number) => void;
    readonly only?: "passages" | undefined;
  },
): Promise<EmbedResult> {
  const { db } = ctx;
  let embedded = 0;
  const put = async (texts: readonly Embeddable[]): Promise<void> => {
    for (let from = 0; from < texts.length; from += BATCH) {
      const some = texts.slice(from, from + BATCH);
      await storeVectors(db, embedder, some);
      embedded += some.length;
      options.onBatch?.(embedded);
    }
  };
  for (const kind of options.only === "passages" ? [passagePage] : [passagePage, eventPage]) {
    for (;;) {
      if (options.timeUp.aborted) return { embedded, complete: false };
      const page = await kind(db, embedder.model);
      await put(page.texts);
      if (page.last === null) break;
      await writeCursor(db, page.cursor, page.last);
    }
  }
  return { embedded, complete: true };
}

interface Embeddable {
  readonly noun: string;
  readonly subject: string;
  readonly text: string;
}

interface Page {
  readonly texts: readonly Embeddable[];
  readonly cursor: Cursor;
  /** Null if there are no more. */
  readonly last: number | null;
}

async function storeVectors(db: Db, embedder: Embedder, texts: readonly Embeddable[]): Promise<void> {
  const vectors = await embedder.embed(texts.map((one) => one.text));
  const rows = texts.flatMap((one, at): VectorRow[] => {
    const vector = vectors[at];
    return vector ? [{ noun: one.noun, subject: one.subject, model: embedder.model, dims: vector.length, vector }] : [];
  });
  await (await db.dialect.vectors()).put(db, rows);
}

async function passagePage(db: Db, model: string): Promise<Page> {
  const cursor = `embedded passages ${model}` as const;
  const passages = await listPassagesAfter(db, await readCursor(db, cursor), BATCH);
  return { texts: passages, cursor, last: passages.at(-1)?.id ?? null };
}

async function eventPage(db: Db, model: string): Promise<Page> {
  const cursor = `embedded events ${model}` as const;
  const digested = await readCursor(db, cursors.digested);
  const from = await readCursor(db, cursor);
  const events = await listEventsAfter(db, from, digested, PAGE);
  // A page ends with one batch of vectors, so that stopping after it loses little.
  const chosen: Event[] = [];
  let last: number | null = null;
  for (const event of events) {
    last = event.id;
    if (isEmbedded(event)) chosen.push(event);
    if (chosen.length === BATCH) break;
  }
  const texts = chosen.map((event) => ({ noun: "event", subject: String(event.id), text: getSpokenText(event) }));
  return { texts, cursor, last };
}

/** Prompts, answers and failures. Successful calls have little meaning to search for. */
function isEmbedded(event: Event): boolean {
  return event.kind === "prompt" || event.kind === "answer" || (event.kind === "call" && isFailure(event));
}

/** What of an event is embedded. The prompt of a named agent may come with data, which often tells more than the prompt. */
export function getSpokenText(event: Event): string {
  if (event.kind === "call") return joinEventText(event);
  const text = event.input === null ? (event.text ?? "") : `${event.text ?? ""}\n${JSON.stringify(event.input)}`;
  return event.agent === null ? text : `${event.agent}: ${text}`;
}
