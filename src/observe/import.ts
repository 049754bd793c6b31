import { accessSync, constants, statSync } from "node:fs";
import type { Config } from "../config.ts";
import { isFailure, type NewEvent } from "../domain/event.ts";
import { readCall } from "../domain/reading.ts";
import type { Policy } from "../domain/policy.ts";
import { OldhandError, systemCodeOf } from "../lib/errors.ts";
import { isRecord, tryParse } from "../lib/json.ts";
import type { Db } from "../store/db.ts";
import { appendNewEvents } from "../store/events.ts";
import type { TranscriptItem } from "./host.ts";
import { hostNamed, hosts } from "./hosts/list.ts";
import { linesOf } from "./imports/lines.ts";
import { messageEvent, neutralEvent } from "./imports/neutral.ts";
import { toldPrompts } from "./told-prompts.ts";
import { workspaceOf } from "./workspace.ts";

export interface Imported {
  readonly sessions: number;
  readonly events: number;
  readonly failures: number;
  /** Lines that were there already, or that could not be read. */
  readonly skipped: number;
}

const BATCH = 1_000;
/** As far as dates go; a time beyond could be stored, but never be told. */
const LAST_TIME = 8.64e15;

export interface ImportFilter {
  /** Only what happened from this time on. */
  readonly since?: number | undefined;
  /** Only what happened in this folder. */
  readonly workspace?: string | undefined;
}

/** Brings one file in. The same file again changes nothing; a file cut short is stored up to the cut. */
export async function importFile(
  world: { readonly db: Db; readonly config: Config },
  path: string,
  from: string | null,
  filter: ImportFilter = {},
): Promise<Imported> {
  refuseUnreadable(path);
  const tally = newTally(world.db, filter);
  try {
    const items = itemsOf(path, from ?? (await formatOf(path)), world.config.policy.observe);
    for await (const item of items) if (tally.add(item)) await tally.flush();
  } catch (error) {
    if (!isReadError(error)) throw error;
    await tally.end();
    throw new OldhandError("input", `cannot read all of ${path}: it is damaged or cut short`, {
      hint: "what came before was stored; with a whole file the same command goes on from there",
      cause: error,
    });
  }
  return tally.end();
}

/** Of the disk, or of a gzip that is none or not whole. */
function isReadError(error: unknown): boolean {
  return /^(Z_|E[A-Z]+$)/.test(systemCodeOf(error)) || (error instanceof OldhandError && isReadError(error.cause));
}

/** One for each line; null where a line is none. */
async function* itemsOf(path: string, format: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem | null> {
  if (format === "neutral" || format === "messages") {
    const read = format === "neutral" ? neutralEvent : messageEvent;
    for await (const line of linesOf(path)) if (line.trim() !== "") yield read(tryParse(line), policy);
    return;
  }
  const host = hostNamed(format);
  if (!host)
    throw new OldhandError("input", `nothing here reads the format ${format}`, {
      hint: `--from neutral, messages or a host: ${hosts.map((one) => one.name).join(", ")}`,
    });
  const setup = await host.setup();
  yield* setup.readTranscript(path, policy);
}

function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
    if (!statSync(path).isDirectory()) return;
  } catch (cause) {
    const missing = systemCodeOf(cause) === "ENOENT";
    throw new OldhandError(
      "input",
      `cannot import ${path}: ${missing ? "there is no such file" : "it cannot be read"}`,
      {
        hint: "check the path; nothing was changed by it",
        cause,
      },
    );
  }
  throw new OldhandError("input", `cannot import ${path}: it is a folder`, { hint: "name the files in it" });
}

async function formatOf(path: string): Promise<string> {
  for await (const line of linesOf(path)) {
    if (line.trim() === "") continue;
    const first = tryParse(line);
    if (!isRecord(first)) break;
    if ("tool" in first && "seq" in first) return "neutral";
    if ("role" in first && "seq" in first && "text" in first) return "messages";
    for (const host of hosts) if ((await host.setup()).isTranscript?.(first) === true) return host.name;
    if ("sessionId" in first || "parentUuid" in first || first["type"] === "summary") return "claude-code";
    break;
  }
  throw new OldhandError("input", `${path} is in no format that is known here`, { hint: "say which with --from" });
}

function newTally(db: Db, filter: ImportFilter) {
  const sessions = new Set<string>();
  let events = 0;
  let failures = 0;
  let skipped = 0;
  let batch: NewEvent[] = [];
  const isTold = toldPrompts(db);
  const flush = async () => {
    const waiting = batch;
    batch = [];
    const unknown: NewEvent[] = [];
    for (const event of waiting) if (!(await isTold(event))) unknown.push(event);
    const fresh = await appendNewEvents(db, unknown);
    for (const event of fresh) {
      sessions.add(`${event.host} ${event.session}`);
      events++;
      if (isFailure(event)) failures++;
    }
    skipped += waiting.length - fresh.length;
  };
  return {
    /** True when enough have come together to be stored. */
    add: (event: Omit<NewEvent, "workspace"> | null): boolean => {
      if (event === null || Math.abs(event.at) > LAST_TIME) {
        skipped++;
        return false;
      }
      const workspace = workspaceOf(event.cwd);
      if (event.at < (filter.since ?? -Infinity) || workspace !== (filter.workspace ?? workspace)) return false;
      batch.push({ ...event, ...readNow(event), workspace });
      return batch.length >= BATCH;
    },
    flush,
    end: async (): Promise<Imported> => {
      await flush();
      return { sessions: sessions.size, events, failures, skipped };
    },
  };
}

/** Here there is time: a call is read before it is stored, not by whoever asks first. */
function readNow(event: Omit<NewEvent, "workspace">): Partial<NewEvent> {
  return event.kind === "call" && event.outcome === null ? readCall(event) : {};
}
