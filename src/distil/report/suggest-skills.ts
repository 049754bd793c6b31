import type { Context } from "../../context.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import type { Event } from "../../domain/event/event.ts";
import { builtInRegistry, findBypassedCommand } from "../../domain/skills/registry.ts";
import { DAY } from "../../lib/clock.ts";
import { oneLine } from "../../lib/text.ts";
import { listSessionCalls, getLastEventTime } from "../../store/events/events.ts";
import { type Repeat, listRepeatedKeys, listRepeats } from "../../store/derived/repeats.ts";
import { listWorkspacesSeen } from "../../store/sessions/sessions.ts";
import { countNewCommands } from "../counting/count-new-events.ts";
import { findCommands } from "../counting/read-repeats.ts";
import { readRegistries } from "../mining/registries.ts";
import { readSkillTexts } from "../mining/available-skills.ts";

export interface SkillSuggestion {
  /** Head and flags. */
  readonly command: string;
  readonly times: number;
  readonly sessions: number;
  readonly example: string;
}

/**
 * Commands with the same head and flags that are run often, mostly work, and that no registry or skill
 * covers; most frequent first. Commands that fail as often as they work are mistakes, which get rules.
 */
export async function suggestSkills(
  ctx: Pick<Context, "db" | "config" | "clock" | "signal">,
  options: {
    readonly userHome: string;
    readonly days?: number | undefined;
    readonly minCount?: number | undefined;
    readonly workspace?: string | undefined;
    readonly limit: number;
  },
): Promise<readonly SkillSuggestion[]> {
  const { db } = ctx;
  const { distil } = ctx.config.policy;
  await countNewCommands(ctx);
  const newest = await getLastEventTime(db, ctx.clock.now());
  const filter = {
    since: newest - (options.days ?? distil.skillSuggestionDays) * DAY,
    workspace: options.workspace ?? null,
    after: 0,
  };
  const least = { times: options.minCount ?? distil.skillSuggestions, sessions: 1 };
  const found = (await listRepeatedKeys(db, "commands", least, filter)).toSorted(
    (a, b) => b.times - a.times || (a.key < b.key ? -1 : 1),
  );
  // Commands of the built-in registry are never suggested, even if the skill is not installed.
  const bypasses = [...(await readRegistries(ctx)).bypasses, ...builtInRegistry().bypasses];
  const skills = readSkillTexts(await listWorkspacesSeen(db), {
    home: ctx.config.home,
    userHome: options.userHome,
  });
  const suggestions: SkillSuggestion[] = [];
  const calls = new Map<string, Promise<readonly Event[]>>();
  for (const { key, times, sessions } of found) {
    if (suggestions.length >= options.limit) break;
    const head = key.split(/ -/, 1)[0] ?? key;
    // Read-only programs do nothing that a skill could do better.
    if (readOnlyPrograms.has(key.split(" ", 1)[0] ?? "") || skills.some((text) => holdsCommand(text, head))) continue;
    const runs = await listRuns(db, key, await listRepeats(db, "commands", filter, key), calls);
    const worked = runs.filter((event) => event.outcome === "ok");
    // A failing test is ordinary work, but no sign that the command works.
    const failed = runs.filter((event) => event.outcome === "failed" && !event.benign);
    if (worked.length <= failed.length) continue;
    const example = findShellText(worked.at(-1)?.input ?? null) ?? key;
    if (bypasses.some((one) => findBypassedCommand(one, example) !== null)) continue;
    suggestions.push({ command: key, times, sessions, example: oneLine(example, 120) });
  }
  return suggestions;
}

/** The runs of a command in the latest sessions that used it. A session's calls are read once for all commands. */
async function listRuns(
  db: Context["db"],
  key: string,
  repeats: readonly Repeat[],
  calls: Map<string, Promise<readonly Event[]>>,
): Promise<readonly Event[]> {
  const runs: Event[] = [];
  for (const { host, session } of repeats.slice(-LATEST)) {
    const name = JSON.stringify([host, session]);
    const read = calls.get(name) ?? listSessionCalls(db, { host, id: session });
    calls.set(name, read);
    runs.push(...(await read).filter((event) => findCommands(event).some((one) => one.key === key)));
  }
  return runs;
}

/** Enough to judge a command, few enough to read quickly. */
const LATEST = 20;

const readOnlyPrograms: ReadonlySet<string> = new Set(
  "cat head tail grep rg find fd sed awk sort uniq cut tree less more stat file which du df ps env mkdir touch cp mv rm xargs tee tr jq diff test [ python python3 node bash sh".split(
    " ",
  ),
);

function holdsCommand(text: string, head: string): boolean {
  const at = text.indexOf(head);
  return at !== -1 && !/[\w-]/.test(text[at - 1] ?? "") && !/\w/.test(text[at + head.length] ?? "");
}
