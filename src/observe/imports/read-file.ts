import type { NewEvent } from "../../domain/event/event.ts";
import type { Policy } from "../../domain/policy.ts";
import { readCall } from "../../domain/cause/read-call.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { TranscriptItem } from "../protocol/host.ts";
import { findHost, hosts } from "../hosts/list.ts";
import type { OffTimes } from "../off-times.ts";
import { findWorkspace } from "../protocol/workspace.ts";
import { countTooLongLines, isTooLong, readLines, readLineBatches, decodeLine } from "../transcripts/lines.ts";
import { parseMessageEvent, parseNeutralEvent } from "./neutral.ts";

export interface ImportFilter {
  /** Only events from this time on. */
  readonly since?: number | undefined;
  /** Only events in this workspace. */
  readonly workspace?: string | undefined;
  /** Also events that were forgotten. */
  readonly again?: boolean | undefined;
  /** Also events from while oldhand was off. */
  readonly includeOff?: boolean | undefined;
}

export interface ReadRequest {
  readonly path: string;
  /** Null to detect the format. */
  readonly from: string | null;
  readonly policy: Policy["observe"];
  readonly filter: ImportFilter;
  /** When oldhand was off; null to ignore that. */
  readonly off: OffTimes | null;
}

export interface EventBatch {
  /** Ready for the store: redacted, capped, and with their outcomes. */
  readonly events: readonly NewEvent[];
  /** Lines that could not be parsed. */
  readonly skipped: number;
  /** Events left out because oldhand was off. */
  readonly whileOff: number;
  /** Bytes of the file read so far; 0 if its reader does not report them. */
  readonly bytes: number;
}

/** What a line of our own formats must have. */
const fieldsOf: Readonly<Record<string, string>> = {
  neutral: "session, seq, ts, tool, input and ok",
  messages: "session, text, role, and seq or ts",
};
/** Small, so that the data of a long file is freed soon. */
const BATCH = 200;
/** The largest time that a date can hold; a later one could be stored, but not displayed. */
const LAST_TIME = 8.64e15;

export async function* readEventBatches({ path, from, policy, filter, off }: ReadRequest): AsyncIterable<EventBatch> {
  let events: NewEvent[] = [];
  let skipped = 0;
  let whileOff = 0;
  let bytes = 0;
  let isOtherForm = true;
  const onBytes = (read: number) => {
    bytes = read;
  };
  try {
    const format = from ?? (await detectFormat(path));
    for await (const items of readItems({ path, policy, onBytes }, format)) {
      for (const item of items) {
        if (item !== null) isOtherForm = false;
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
    const fields = fieldsOf[format];
    if (isOtherForm && skipped > 0 && fields !== undefined)
      throw new OldhandError("input", `no line of ${path} has the form that --from ${format} reads`, {
        hint: `each line is one JSON object with ${fields}; docs/import.md shows an example`,
      });
  } finally {
    // Also stores what was read before the damage.
    if (events.length + skipped + whileOff > 0) yield { events, skipped, whileOff, bytes };
  }
}

/** An import has time to classify a call before it is stored; hooks leave that to the digest. */
function toReadEvent(item: TranscriptItem, workspace: string | null): NewEvent {
  if (item.kind !== "call" || item.outcome !== null) return { ...item, workspace };
  const { head, outcome, benign, exitCode, error, signature, text } = readCall(item);
  return { ...item, workspace, head, outcome, benign, exitCode, error, signature, text };
}

type Items = Iterable<TranscriptItem | null>;

/** Yields items in batches as they are read; null for a line that could not be parsed. */
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
