import type { ScriptedCall } from "../../../src/testing/scripted-server.ts";
import type { Client } from "./client.ts";
import { Lab, type SessionJob } from "./lab.ts";

/** A host whose real client a test can drive: how its user sets it up, and in which words its model calls a tool. */
export interface DrivenHost {
  /** As `oldhand install` knows it. */
  readonly name: string;
  readonly client: Client;
  /** What its user has before oldhand comes. */
  prepare(lab: Lab): void;
  /** What its user does after installing. */
  allow?(lab: Lab): void;
  /** What it does after it has ended is waited for, and what it leaves running is ended. */
  settle?(lab: Lab): Promise<void>;
  shell(command: string): ScriptedCall;
  /** As the model calls oldhand's own tool; null where oldhand is not among its MCP servers. */
  tool(name: string, input: Readonly<Record<string, unknown>>): ScriptedCall | null;
  /** How a session is taken up again. */
  again?(session: string, prompt: string): Pick<SessionJob, "prompt" | "flags">;
}

/** A lab in which the host is set up, and oldhand installed for it as for any user. */
export function labOf(host: DrivenHost, alone: readonly string[], says: "everything" | "calls" = "everything"): Lab {
  if (host.client.kind === "absent") throw new Error(host.client.why);
  const lab = new Lab(host.client, alone, says);
  host.prepare(lab);
  const { status, err } = lab.oldhand("install", host.name);
  if (status !== 0 || err !== "") throw new Error(`oldhand install ${host.name} ended with ${status}: ${err}`);
  host.allow?.(lab);
  return lab;
}
