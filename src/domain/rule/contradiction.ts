import { parseSteps } from "../shell/step.ts";
import { matchesSteps, stripSituation } from "./matcher.ts";
import { compareHardestFirst, type ActiveRule } from "./rule.ts";

type SpokenRule = Pick<ActiveRule, "id" | "text" | "level" | "salience" | "scope" | "matcher" | "origin">;

/**
 * Without rules whose advice another of them warns against: "use `pytest`" beside "`pytest` is not installed". The one of the
 * workspace speaks before one for everywhere, then the harder one; what the owner wrote is never left out.
 */
export function dropContradicted<T extends SpokenRule>(rules: readonly T[], all: readonly SpokenRule[]): readonly T[] {
  return rules.filter((rule) => {
    const command = rule.origin === "owner" ? null : findAdvisedCommand(rule.text);
    return command === null || !all.some((other) => warnsAgainst(other, command) && comesFirst(other, rule));
  });
}

/** The command that a rule says to use: "Use `bun run test` here: …", "Use a call such as `gh api pulls/7/files`: …", "Run `bun` without `rtk` here, such as `bun run test`: …". */
export function findAdvisedCommand(text: string): string | null {
  return (
    /^(?:Use(?: a call such as)?|Run `[^`]+` without `[^`]+`(?: here)?, such as) (?:`([^`]+)`|(`{2,}) (.+?) \2)(?: here)?: /
      .exec(text)
      ?.slice(1)
      .findLast((part) => part !== undefined) ?? null
  );
}

function warnsAgainst({ matcher }: SpokenRule, command: string): boolean {
  if (matcher === null || matcher.tool !== "shell") return false;
  // One that names no command warns against any.
  if ((matcher.head ?? matcher.command ?? matcher.runs) === undefined) return false;
  return matchesSteps(
    stripSituation(matcher),
    parseSteps({ tool: "bash", input: { command }, cwd: null, workspace: null }),
    new Set(),
  );
}

function comesFirst(a: SpokenRule, b: SpokenRule): boolean {
  if (a.id === b.id) return false;
  if (a.scope.kind !== b.scope.kind) return a.scope.kind === "workspace";
  return compareHardestFirst(a, b) < 0;
}
