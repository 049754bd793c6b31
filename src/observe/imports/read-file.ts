import type { NewEvent } from "../../domain/event/event.ts";
import type { Policy } from "../../domain/policy.ts";
import { readCall } from "../../domain/event/reading.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { TranscriptItem } from "../protocol/host.ts";
import { findHost, hosts } from "../hosts/list.ts";
import type { OffTimes } from "../off-times.ts";
import { findWorkspace } from "../protocol/workspace.ts";
import { countTooLongLines, isTooLong, readLines, readLineBatches, decodeLine } from "../transcripts/lines.ts";
import { parseMessageEvent, parseNeutralEvent } from "./neutral.ts";

export interface ImportFilter {
  /** Only what happened from this time on. */
  readonly since?: number | undefined;
  /** Only what happened in this folder. */
  readonly workspace?: string | undefined;
  /** Also what was forgotten. */
  readonly again?: boolean | undefined;
  /** Also what happened while oldhand was off. */
  readonly includeOff?: boolean | undefined;
}

export interface ReadRequest {
  readonly path: string;
  /** Null: to be found out. */
  readonly from: string | null;
  readonly policy: Policy["observe"];
  readonly filter: ImportFilter;
  /** When oldhand was off; null: that does not matter. */
  readonly off: OffTimes | null;
}

export interface EventBatch {
  /** Ready for the store: without secrets, capped, and read. */
  readonly events: readonly NewEvent[];
  /** Lines that could not be read. */
  readonly skipped: number;
  /** Events that happened while oldhand was off, and are left out. */
  readonly whileOff: number;
  /** How much of the file was read so far; 0 where its reader does not say. */
  readonly bytes: number;
}

/** Small, so that what was read of a long file is let go soon. */
const BATCH = 200;
/** As far as dates go; a time beyond could be stored, but never be told. */
const LAST_TIME = 8.64e15;

export async function* readEventBatches({ path, from, policy, filter, off }: ReadRequest): AsyncIterable<EventBatch> {
  let events: NewEvent[] = [];
  let skipped = 0;
  let whileOff = 0;
  let bytes = 0;
  const onBytes = (read: number) => {
    bytes = read;
  };
  try {
    for await (const items of readItems({ path, policy, onBytes }, from ?? (await detectFormat(path)))) {
      for (const item of items) {
        if (item === null || Math.abs(item.at) > LAST_TIME) {
          skipped++;
          continue;
        }
        const workspace = item.workspace ?? findWorkspace(item.cwd);
        if (item.at < (filter.since ?? -Infinity) || workspace !== (filter.workspace ?? workspace)) continue;
        if (off?.has({ ...item, workspace }) === true) {
          whileOff++;
          continue;
        }
        events.push(toReadEvent(item, workspace));
        if (events.length < BATCH) continue;
        yield { events, skipped, whileOff, bytes };
        events = [];
        skipped = 0;
        whileOff = 0;
      }
    }
  } finally {
    // Also what came before a cut is worth storing.
    if (events.length + skipped + whileOff > 0) yield { events, skipped, whileOff, bytes };
  }
}

/** Here there is time: a call is read before it is stored, not by whoever asks first. */
function toReadEvent(item: TranscriptItem, workspace: string | null): NewEvent {
  if (item.kind !== "call" || item.outcome !== null) return { ...item, workspace };
  const { head, outcome, benign, exitCode, error, signature, text } = readCall(item);
  return { ...item, workspace, head, outcome, benign, exitCode, error, signature, text };
}

type Items = Iterable<TranscriptItem | null>;

/** As many at a time as come together; null where a line is none. */
async function* readItems(
  { path, policy, onBytes }: Pick<ReadRequest, "path" | "policy"> & { readonly onBytes: (bytes: number) => void },
  format: string,
): AsyncIterable<Items> {
  const setup = await findHost(format)?.setup();
  const take = findLineParser(format, policy) ?? setup?.lineReader?.(policy);
  if (take) for await (const lines of readLineBatches(path, onBytes)) yield parseLines(lines, take);
  else if (setup) {
    for await (const item of setup.readTranscript(path, policy)) yield [item];
    yield Array.from({ length: await countTooLongLines(path) }, () => null);
  } else
    throw new OldhandError("input", `unknown format ${format}`, {
      hint: `--from neutral, messages or a host: ${hosts.map((one) => one.name).join(", ")}`,
    });
}

type ParseLine = (line: Buffer) => readonly (TranscriptItem | null)[];

function* parseLines(lines: Iterable<Buffer>, take: ParseLine): Items {
  for (const line of lines) yield* isTooLong(line) ? [null] : take(line);
}

function findLineParser(format: string, policy: Policy["observe"]): ParseLine | null {
  if (format !== "neutral" && format !== "messages") return null;
  const read = format === "neutral" ? parseNeutralEvent : parseMessageEvent;
  return (line) => {
    const text = decodeLine(line);
    return text.trim() === "" ? [] : [read(tryParseJson(text), policy)];
  };
}

async function detectFormat(path: string): Promise<string> {
  for await (const line of readLines(path)) {
    if (line.trim() === "") continue;
    const first = tryParseJson(line);
    if (!isRecord(first)) break;
    if ("tool" in first && "seq" in first) return "neutral";
    if ("role" in first && "seq" in first && "text" in first) return "messages";
    for (const host of hosts) if ((await host.setup()).isTranscript?.(first) === true) return host.name;
    if ("sessionId" in first || "parentUuid" in first || first["type"] === "summary") return "claude-code";
    break;
  }
  throw new OldhandError("input", `the format of ${path} is unknown`, { hint: "name the format with --from" });
}
