import { mayGetSecrets } from "../../domain/model/secrets-to.ts";
import type { Placeholders } from "../../domain/model/placeholders.ts";
import { placeholderScope } from "../gateway/session-placeholders.ts";
import type { Caller } from "./caller.ts";
import { withOtherBody } from "./headers.ts";
import type { ReadBody } from "./read-body.ts";
import { hideInRequest } from "./secret-texts.ts";
import type { Upstream } from "./upstream.ts";
import type { WireApi } from "./wire-api.ts";

export interface Hiding {
  readonly placeholders: (session: string) => Promise<Placeholders>;
  /** The setting models.secretsTo. */
  readonly secretsTo: string;
  /** While oldhand is off, a request passes byte for byte. */
  readonly isOff: () => boolean;
}

export interface OutgoingRequest {
  readonly headers: readonly string[];
  readonly body: Buffer | null;
  /** The secrets to put back into the answer; null if there are none. */
  readonly placeholders: Placeholders | null;
}

/** Replaces the secrets of a request by placeholders. A request without secrets keeps every byte. */
export async function hideSecrets(
  { placeholders: open, secretsTo, isOff }: Hiding,
  request: {
    readonly api: WireApi;
    readonly caller: Caller;
    readonly upstream: Upstream;
    readonly body: Buffer;
    readonly read: ReadBody | null;
  },
): Promise<OutgoingRequest> {
  const { api, caller, upstream, body, read } = request;
  const unchanged = { headers: upstream.headers, body: body.length === 0 ? null : body, placeholders: null };
  if (read === null || isOff() || mayGetSecrets(secretsTo, upstream)) return unchanged;
  const placeholders = await open(placeholderScope(caller.agent, caller.session));
  const text = hideInRequest(api, read.text, read.json, placeholders);
  if (placeholders.count === 0) return unchanged;
  const hidden = text === read.text ? body : Buffer.from(text);
  const isEncoded = text === read.text && read.encoding !== "identity";
  const headers = withOtherBody(upstream.headers, hidden);
  return {
    headers: isEncoded ? [...headers, "content-encoding", read.encoding] : headers,
    body: hidden,
    placeholders,
  };
}
