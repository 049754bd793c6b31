import type { NewEvent } from "../../domain/event/event.ts";
import type { Policy } from "../../domain/policy.ts";
import { readCall } from "../../domain/event/reading.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, tryParse } from "../../lib/json.ts";
import type { TranscriptItem } from "../protocol/host.ts";
import { hostNamed, hosts } from "../hosts/list.ts";
import type { OffTimes } from "../off-times.ts";
import { workspaceOf } from "../protocol/workspace.ts";
import { countTooLong, isTooLong, linesOf, piecesOf, textOf } from "../transcripts/lines.ts";
import { messageEvent, neutralEvent } from "./neutral.ts";

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

export interface Batch {
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

export async function* batchesOf({ path, from, policy, filter, off }: ReadRequest): AsyncIterable<Batch> {
  let events: NewEvent[] = [];
  let skipped = 0;
  let whileOff = 0;
  let bytes = 0;
  const tell = (read: number) => {
    bytes = read;
  };
  try {
    for await (const items of itemsOf({ path, policy, tell }, from ?? (await formatOf(path)))) {
      for (const item of items) {
        if (item === null || Math.abs(item.at) > LAST_TIME) {
          skipped++;
          continue;
        }
        const workspace = item.workspace ?? workspaceOf(item.cwd);
        if (item.at < (filter.since ?? -Infinity) || workspace !== (filter.workspace ?? workspace)) continue;
        if (off?.has({ ...item, workspace }) === true) {
          whileOff++;
          continue;
        }
        events.push(readNow(item, workspace));
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
function readNow(item: TranscriptItem, workspace: string | null): NewEvent {
  if (item.kind !== "call" || item.outcome !== null) return { ...item, workspace };
  const { head, outcome, benign, exitCode, error, signature, text } = readCall(item);
  return { ...item, workspace, head, outcome, benign, exitCode, error, signature, text };
}

type Items = Iterable<TranscriptItem | null>;

/** As many at a time as come together; null where a line is none. */
async function* itemsOf(
  { path, policy, tell }: Pick<ReadRequest, "path" | "policy"> & { readonly tell: (bytes: number) => void },
  format: string,
): AsyncIterable<Items> {
  const setup = await hostNamed(format)?.setup();
  const take = lineReaderOf(format, policy) ?? setup?.lineReader?.(policy);
  if (take) for await (const lines of piecesOf(path, tell)) yield takenFrom(lines, take);
  else if (setup) {
    for await (const item of setup.readTranscript(path, policy)) yield [item];
    yield Array.from({ length: await countTooLong(path) }, () => null);
  } else
    throw new OldhandError("input", `nothing here reads the format ${format}`, {
      hint: `--from neutral, messages or a host: ${hosts.map((one) => one.name).join(", ")}`,
    });
}

type TakeLine = (line: Buffer) => readonly (TranscriptItem | null)[];

function* takenFrom(lines: Iterable<Buffer>, take: TakeLine): Items {
  for (const line of lines) yield* isTooLong(line) ? [null] : take(line);
}

function lineReaderOf(format: string, policy: Policy["observe"]): TakeLine | null {
  if (format !== "neutral" && format !== "messages") return null;
  const read = format === "neutral" ? neutralEvent : messageEvent;
  return (line) => {
    const text = textOf(line);
    return text.trim() === "" ? [] : [read(tryParse(text), policy)];
  };
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
