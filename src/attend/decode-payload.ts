import { type Config, isOff } from "../config.ts";
import type { Host, Protocol } from "../observe/protocol/host.ts";
import type { HookEvent } from "../observe/protocol/hook-event.ts";
import { findWorkspace } from "../observe/protocol/workspace.ts";

/** A host's payload as events, with the protocol for the reply. */
export interface DecodedPayload {
  readonly host: string;
  readonly protocol: Protocol;
  /** At least one. */
  readonly events: readonly HookEvent[];
  readonly workspace: string | null;
}

/**
 * Null if the payload has no event for oldhand, or oldhand is switched off. Loads little, because every hook starts
 * with it.
 */
export async function decodePayload(
  { config, env }: { readonly config: Config; readonly env: Readonly<Record<string, string | undefined>> },
  host: Host,
  payload: unknown,
): Promise<DecodedPayload | null> {
  const protocol = await host.protocol();
  const events = protocol.decode(payload, env);
  const [first] = events;
  if (first === undefined) return null;
  const workspace = findWorkspace(first.cwd);
  return isOff(config.off, workspace) ? null : { host: host.name, protocol, events, workspace };
}

/** The reply if there is nothing to say. Some hosts take an empty reply as a refusal. */
export async function readDefaultReply(host: Host | undefined, payload: unknown): Promise<string> {
  return (await host?.protocol())?.defaultReply?.(payload) ?? "";
}
