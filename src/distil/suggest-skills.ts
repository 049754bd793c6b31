import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import { bypassedBy } from "../domain/skills/registry.ts";
import { DAY } from "../lib/clock.ts";
import { plainTextOf } from "../lib/plain-file.ts";
import { oneLine } from "../lib/text.ts";
import { isWithin } from "../lib/within.ts";
import { lastEventAt } from "../store/events.ts";
import { repeated, repeatsOf } from "../store/repeats.ts";
import { workspacesSeen } from "../store/sessions.ts";
import { catchUpCommands } from "./catch-up.ts";
import { eventsOf } from "./look.ts";
import { registries } from "./registries.ts";

export interface Suggestion {
  /** Head and flags. */
  readonly command: string;
  readonly times: number;
  readonly sessions: number;
  readonly example: string;
}

/** Commands of one head and the same flags that are run often, and for which neither a registry nor a skill speaks. Most frequent first. */
export async function suggestSkills(
  ctx: Pick<Context, "db" | "config" | "clock" | "signal">,
  options: {
    readonly userHome: string;
    readonly days?: number | undefined;
    readonly minCount?: number | undefined;
    readonly workspace?: string | undefined;
    readonly limit: number;
  },
): Promise<readonly Suggestion[]> {
  const { db } = ctx;
  const { distil } = ctx.config.policy;
  await catchUpCommands(ctx);
  const newest = await lastEventAt(db, ctx.clock.now());
  const filter = {
    since: newest - (options.days ?? distil.skillSuggestionDays) * DAY,
    workspace: options.workspace ?? null,
    after: 0,
  };
  const least = { times: options.minCount ?? distil.skillSuggestions, sessions: 1 };
  const found = (await repeated(db, "commands", least, filter)).toSorted(
    (a, b) => b.times - a.times || (a.key < b.key ? -1 : 1),
  );
  const { bypasses } = await registries(ctx);
  const skills = skillTexts(await workspacesSeen(db), {
    home: ctx.config.home,
    userHome: options.userHome,
  });
  const suggestions: Suggestion[] = [];
  for (const { key, times, sessions } of found) {
    if (suggestions.length >= options.limit) break;
    const head = key.split(/ -/, 1)[0] ?? key;
    // What only looks is no work that a skill could do better.
    if (looks.has(key.split(" ", 1)[0] ?? "") || skills.some((text) => holdsCommand(text, head))) continue;
    const events = await eventsOf(db, (await repeatsOf(db, "commands", filter, key)).slice(-1));
    const example = shellTextOf(events[0]?.input ?? null) ?? key;
    if (bypasses.some((one) => bypassedBy(one, example) !== null)) continue;
    suggestions.push({ command: key, times, sessions, example: oneLine(example, 120) });
  }
  return suggestions;
}

const looks: ReadonlySet<string> = new Set(
  "cat head tail grep rg find fd sed awk sort uniq cut tree less more stat file which du df ps env mkdir touch cp mv rm xargs tee tr jq diff test [ python python3 node bash sh".split(
    " ",
  ),
);

/** What the skills at hand say; a skill covers the commands that it names. Those of a workspace lie within it. */
function skillTexts(workspaces: readonly string[], owner: { home: string; userHome: string }): readonly string[] {
  const of = (place: string) => [join(place, ".claude", "skills"), join(place, ".agents", "skills")];
  return [
    ...[join(owner.home, "skills"), ...of(owner.userHome)].flatMap((folder) => skillsIn(folder)),
    ...workspaces.flatMap((workspace) => of(workspace).flatMap((folder) => skillsIn(folder, workspace))),
  ];
}

function skillsIn(folder: string, within?: string): readonly string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  if (within !== undefined && !isWithin(folder, within)) return [];
  return readdirSync(folder)
    .toSorted()
    .slice(0, MOST_SKILLS)
    .map((name) => plainTextOf(join(folder, name, "SKILL.md"), { within }))
    .filter((text) => text !== null);
}

const MOST_SKILLS = 500;

function holdsCommand(text: string, head: string): boolean {
  const at = text.indexOf(head);
  return at !== -1 && !/[\w-]/.test(text[at - 1] ?? "") && !/\w/.test(text[at + head.length] ?? "");
}
