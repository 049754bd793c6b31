import { type Config, isOff } from "../config.ts";
import type { Host, Protocol } from "../observe/protocol/host.ts";
import type { HookEvent } from "../observe/protocol/hook-event.ts";
import { findWorkspace } from "../observe/protocol/workspace.ts";

/** What a host's payload holds, and the protocol to answer it in. */
export interface DecodedPayload {
  readonly host: string;
  readonly protocol: Protocol;
  /** At least one. */
  readonly events: readonly HookEvent[];
  readonly workspace: string | null;
}

/** Null where a payload holds nothing of ours, or where oldhand is switched off. Loads little: a hook starts with it. */
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

/** What a host is answered where there is nothing to say: some take nothing for a no. */
export async function readDefaultReply(host: Host | undefined, payload: unknown): Promise<string> {
  return (await host?.protocol())?.defaultReply?.(payload) ?? "";
}
