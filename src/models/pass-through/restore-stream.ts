import type { PieceRestorer, Placeholders } from "../../domain/model/placeholders.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { spliceJson } from "../../lib/json-splice.ts";
import { changeTexts, openBlock, openDocument, type Opened } from "./secret-texts.ts";
import type { WireApi } from "./wire-api.ts";

/** Puts the secrets back into a stream. Takes the data of one event and returns the data of the events to send instead. */
export type EventRestorer = (data: string) => readonly string[];

export function newEventRestorer(api: WireApi, placeholders: Placeholders): EventRestorer {
  const restore: Restoring = { pieces: new Map(), placeholders };
  const step = steps[api];
  return (data) => {
    const event = tryParseJson(data);
    return isRecord(event) ? step(restore, data, event) : [data];
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** A text that arrives in pieces, and an event that can carry the part that was held back. */
interface OpenPieces {
  readonly restorer: PieceRestorer;
  readonly path: string;
  readonly last: string;
}

interface Restoring {
  readonly pieces: Map<string, OpenPieces>;
  readonly placeholders: Placeholders;
}

const steps: Readonly<Record<WireApi, (of: Restoring, data: string, event: Fields) => readonly string[]>> = {
  messages: (of, data, event) => {
    const key = String(event["index"]);
    const delta = fieldsOf(event["delta"]);
    if (event["type"] === "content_block_stop") return [...flush(of, (open) => open === key), data];
    if (event["type"] === "content_block_start")
      return [whole(of, data, { content_block: openBlock(event["content_block"]) })];
    if (delta["type"] === "text_delta")
      return [piece(of, data, { key, path: "/delta/text", text: delta["text"], json: false })];
    if (delta["type"] === "input_json_delta")
      return [piece(of, data, { key, path: "/delta/partial_json", text: delta["partial_json"], json: true })];
    return [data];
  },
  chat: (of, data, event) => {
    const found = findChatPieces(event);
    // The event that carries a held-back part must not repeat the other texts of its chunk.
    const empty = spliceJson(data, new Map(found.map(({ path }) => [path, ""])));
    const changed = found.reduce((sum, one) => piece(of, sum, one, empty), data);
    const ended = listOf(event["choices"]).filter((choice) => choice["finish_reason"] != null);
    const before = ended.flatMap((choice) => flush(of, (open) => open.startsWith(`${String(choice["index"])} `)));
    return [...before, changed];
  },
  responses: (of, data, event) => {
    const type = String(event["type"]);
    const key = `${String(event["item_id"])} ${String(event["content_index"])}`;
    if (pieceTypes.has(type))
      return [piece(of, data, { key, path: "/delta", text: event["delta"], json: type.includes("arguments") })];
    const before = type.endsWith(".done") ? flush(of, (open) => open === key) : [];
    return [...before, whole(of, data, openEvent(type, event))];
  },
};

const pieceTypes = new Set([
  "response.output_text.delta",
  "response.function_call_arguments.delta",
  "response.custom_tool_call_input.delta",
]);

/** The texts that an event of the Responses API repeats in full. */
function openEvent(type: string, event: Fields): Opened {
  if (type === "response.output_text.done") return { text: event["text"] };
  if (type === "response.function_call_arguments.done") return openBlock({ ...event, type: "function_call" });
  if (type === "response.custom_tool_call_input.done") return { input: event["input"] };
  const response = event["response"];
  return {
    item: openBlock(event["item"]),
    part: openBlock(event["part"]),
    ...(isRecord(response) ? { response: openDocument("responses", response) } : {}),
  };
}

function whole({ placeholders }: Restoring, data: string, opened: Opened): string {
  return changeTexts(data, opened, (one) => placeholders.restore(one));
}

interface Piece {
  readonly key: string;
  readonly path: string;
  readonly text: unknown;
  readonly json: boolean;
  /** No more of this text comes. */
  readonly isLast?: boolean;
}

function findChatPieces(event: Fields): readonly Piece[] {
  return listOf(event["choices"]).flatMap((choice, at): readonly Piece[] => {
    const delta = fieldsOf(choice["delta"]);
    const key = `${String(choice["index"])} `;
    const path = `/choices/${at}/delta`;
    const isLast = choice["finish_reason"] != null;
    const calls = listOf(delta["tool_calls"]).map((call, number): Piece => {
      const text = fieldsOf(call["function"])["arguments"];
      const name = `${key}${String(call["index"])}`;
      return { key: name, path: `${path}/tool_calls/${number}/function/arguments`, text, json: true, isLast };
    });
    const content = { key, path: `${path}/content`, text: delta["content"], json: false, isLast };
    return [content, ...calls].filter(({ text }) => typeof text === "string");
  });
}

/** `carrier`: an event like this one, to carry the held-back part when the text ends. */
function piece({ pieces, placeholders }: Restoring, data: string, of: Piece, carrier = data): string {
  const { key, path, text, json, isLast = false } = of;
  if (typeof text !== "string") return data;
  const restorer = pieces.get(key)?.restorer ?? placeholders.restorePieces({ json });
  const restored = restorer.push(text) + (isLast ? restorer.end() : "");
  if (isLast) pieces.delete(key);
  else pieces.set(key, { restorer, path, last: carrier });
  return restored === text ? data : spliceJson(data, new Map([[path, restored]]));
}

/** Sends the held-back part in a copy of the text's last event. */
function flush({ pieces }: Restoring, ends: (key: string) => boolean): readonly string[] {
  return [...pieces].flatMap(([key, { restorer, path, last }]) => {
    if (!ends(key)) return [];
    pieces.delete(key);
    const rest = restorer.end();
    return rest === "" ? [] : [spliceJson(last, new Map([[path, rest]]))];
  });
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
