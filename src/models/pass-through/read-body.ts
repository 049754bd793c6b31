import { errorMessage } from "../../lib/errors.ts";
import { tryParseJson } from "../../lib/json.ts";
import { canDecode, decodeBody } from "./encodings.ts";

/** The body of a request, decoded. */
export interface ReadBody {
  readonly encoding: string;
  readonly text: string;
  /** Undefined if it is not JSON. */
  readonly json: unknown;
}

/** Returns a text with the reason if the body cannot be read. */
export function readBody(body: Buffer, contentEncoding: string | undefined, limit: number): ReadBody | string {
  const encoding = contentEncoding?.trim().toLowerCase() ?? "identity";
  if (!canDecode(encoding)) return `a body with content-encoding ${encoding} cannot be read here; send it uncompressed`;
  try {
    const text = decodeBody(body, encoding, limit).toString("utf8");
    return { encoding, text, json: tryParseJson(text) };
  } catch (error) {
    return `the body cannot be decoded: ${errorMessage(error)}`;
  }
}
