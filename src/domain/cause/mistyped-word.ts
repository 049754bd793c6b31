import type { ShellCommand } from "../shell/command.ts";
import { nameSimilarity } from "../text/near-name.ts";
import type { CauseKind } from "./patterns.ts";

/** The word of a call that an error suggests another spelling for, and what kind of word it is. */
export interface MistypedWord {
  readonly kind: CauseKind;
  readonly thing: string;
}

/** Below this, two names have little in common. */
const LEAST_LIKE = 0.6;

/** Null if no word of the call is nearly the suggested one. A suggested option stands for an option only. */
export function findMistypedWord(commands: readonly ShellCommand[], hint: string): MistypedWord | null {
  const found = commands.flatMap((command) =>
    listWords(command).map((one) => ({ ...one, like: likeness(one.thing, hint) })),
  );
  const [best] = found
    .filter(({ kind, like }) => like >= LEAST_LIKE && (kind === "unknown-option") === hint.startsWith("-"))
    .toSorted((a, b) => b.like - a.like);
  return best === undefined ? null : { kind: best.kind, thing: best.thing };
}

function listWords({ head, flags, args }: ShellCommand): readonly MistypedWord[] {
  const subcommands = head.split(" ").slice(1);
  return [
    ...flags.map((thing) => ({ kind: "unknown-option" as const, thing })),
    ...subcommands.map((thing) => ({ kind: "unknown-subcommand" as const, thing })),
    ...args.filter((arg) => !subcommands.includes(arg)).map((thing) => ({ kind: "unknown-name" as const, thing })),
  ];
}

/** A word that is the suggested one is not wrong. Of a path or a target, the last name counts. */
function likeness(word: string, hint: string): number {
  if (word === hint) return 0;
  const last = (text: string) => text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf(":")) + 1);
  return last(word) === last(hint) ? 0 : nameSimilarity(last(word).replace(/^-+/, ""), last(hint).replace(/^-+/, ""));
}
