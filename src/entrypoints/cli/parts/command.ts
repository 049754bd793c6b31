import type { FlagInfo, Globals } from "./arguments.ts";

/** A command that is not generated from an operation, because it is interactive, waits, streams or sets things up. */
export interface CliCommand {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly flags: readonly FlagInfo[];
  /** The maximum number of words, besides flags. */
  readonly words: number;
  /** True if only the owner may run it. */
  isOwnerOnly?(globals: Globals, values: Readonly<Record<string, unknown>>): boolean;
  /** What an agent may type instead of a call that only the owner may make. */
  readonly forAgents?: string;
  /** Returns the exit code. */
  run(words: readonly string[], values: Readonly<Record<string, unknown>>, globals: Globals): Promise<number>;
}

/** A command that is not loaded yet: what is needed to find and list it. */
export interface IndexedCommand extends Pick<CliCommand, "name" | "summary"> {
  load(): Promise<CliCommand>;
}

export function newFlag(name: string, type: FlagInfo["type"], summary: string): FlagInfo {
  return { name, flag: name, type, many: false, summary, values: [], fallback: null, required: false, canBeOff: false };
}
