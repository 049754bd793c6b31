import type { FlagInfo, Globals } from "./arguments.ts";

/** What no table of operations can say: commands that talk, wait, stream or set things up. */
export interface CliCommand {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly flags: readonly FlagInfo[];
  /** How many words it takes at most, besides flags. */
  readonly words: number;
  /** True where no agent may run it. */
  isOwnersAlone?(globals: Globals, values: Readonly<Record<string, unknown>>): boolean;
  /** Its exit code. */
  run(words: readonly string[], values: Readonly<Record<string, unknown>>, globals: Globals): Promise<number>;
}

export function newFlag(name: string, type: FlagInfo["type"], summary: string): FlagInfo {
  return { name, flag: name, type, many: false, summary, values: [], fallback: null, required: false };
}
