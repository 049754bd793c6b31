import type { Context } from "../../context.ts";
import { listNamedCommands } from "../../domain/remedy/named-remedy.ts";
import { judgeRemedy } from "../../domain/remedy/remedy-law.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { makeCallGroup } from "../../domain/shell/step.ts";
import { groupBy } from "../../lib/group-by.ts";
import { listTries } from "../../store/derived/tries.ts";
import type { GroupTry } from "./find-causes.ts";
import type { Remedy } from "./find-remedy.ts";
import { lineOf } from "./taught-traits.ts";

/** In one session only, it may be specific to that session. */
const MIN_SESSIONS = 2;
const MOST_CALLS = 400;

interface NamedFirstQuery {
  readonly heads: readonly string[];
  readonly failures: readonly GroupTry[];
  /** All calls of the same commands. */
  readonly tries: readonly GroupTry[];
  /** Maximum number of calls from the failure to the named command. */
  readonly within: number;
}

/**
 * The command that the errors tell to run first, if it then worked, and after it the failing command, in two sessions:
 * `terraform init` for `terraform plan`.
 */
export async function findNamedFirst(db: Context["db"], query: NamedFirstQuery): Promise<Remedy | null> {
  const { heads, failures, tries, within } = query;
  const named = failures.flatMap((failure) =>
    listNamedCommands(failure.event.error ?? "").map((command) => ({ command, failure })),
  );
  const ranked = [...groupBy(named, (one) => one.command)].toSorted((a, b) => b[1].length - a[1].length);
  for (const [command, cases] of ranked) {
    const main = findMainCommand(command);
    if (main === null || heads.includes(main.head)) continue;
    if (!cases.every(({ failure }) => isTaught(command, failure))) continue;
    const runs = (await listTries(db, makeCallGroup("bash", main.head), MOST_CALLS)).filter(
      (one) => one.result === "worked" && runsAllOf(one.event.input, main.words),
    );
    const sessions = cases.filter(({ failure }) => {
      const { session, event } = failure;
      const run = runs.find(
        (one) =>
          `${one.event.host} ${one.event.session}` === session &&
          one.event.seq > event.seq &&
          one.event.seq <= event.seq + within,
      );
      return (
        run !== undefined &&
        tries.some((one) => !one.failed && one.session === session && one.event.seq >= run.event.seq)
      );
    });
    if (new Set(sessions.map(({ failure }) => failure.session)).size >= MIN_SESSIONS)
      return { command: null, tool: null, value: null, through: null, first: command, origin: "named" };
  }
  return null;
}

function isTaught(command: string, failure: GroupTry): boolean {
  const line = lineOf(failure);
  return judgeRemedy({ failed: line, worked: `${command} && ${line}`, error: failure.event.error ?? "" }).isTaught;
}

function runsAllOf(input: unknown, words: readonly string[]): boolean {
  const text = typeof input === "object" && input !== null ? JSON.stringify(input) : "";
  return text !== "" && words.every((word) => text.includes(word));
}
