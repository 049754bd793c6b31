import { isRecord } from "../../lib/json.ts";
import { toModelError, modelError } from "./failures.ts";
import { wireFetch } from "./wire-fetch.ts";
import type { OpenEndpoint } from "./open-provider.ts";

export interface ModelListing {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The member that holds the list, and the one that holds a model's name. */
  readonly list: string;
  readonly name: string;
}

/** Fetches the names of an endpoint's models. */
export async function fetchModelNames(
  endpoint: OpenEndpoint,
  { path, headers = {}, list, name }: ModelListing,
  options: { readonly fetch: typeof fetch; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const source = { provider: endpoint.name, key: endpoint.key };
  const ask = wireFetch({ ...source, fetch: options.fetch, expects: "json" });
  try {
    const answer = await ask(`${endpoint.url}${path}`, { headers: { ...headers }, signal: options.signal });
    const body: unknown = await answer.json();
    const all = isRecord(body) ? body[list] : body;
    if (!Array.isArray(all)) throw modelError(source, "malformed", "does not list its models");
    return all.flatMap((one) => (isRecord(one) && typeof one[name] === "string" ? [one[name]] : []));
  } catch (thrown) {
    throw options.signal.aborted ? modelError(source, "aborted", "the call was stopped") : toModelError(source, thrown);
  }
}
