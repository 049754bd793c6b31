import { parseSteps } from "../../shell/step.ts";
import { matchesSteps, stripSituation } from "./matcher.ts";
import { compareHardestFirst, type ActiveRule } from "../rule.ts";

type SpokenRule = Pick<ActiveRule, "id" | "text" | "level" | "salience" | "scope" | "matcher" | "origin">;

/**
 * Drops rules whose advice another rule warns against: "use `pytest`" beside "`pytest` is not installed". What the owner
 * wrote or forbids wins in every scope; then a workspace rule beats a global one, then the higher level wins. The
 * owner's rules are never dropped.
 */
export function dropContradicted<T extends SpokenRule>(rules: readonly T[], all: readonly SpokenRule[]): readonly T[] {
  return rules.filter((rule) => {
    const command = rule.origin === "owner" ? null : findAdvisedCommand(rule.text);
    return command === null || !all.some((other) => warnsAgainst(other, command) && comesFirst(other, rule));
  });
}

/**
 * Returns the command that a rule advises: "Use `bun run test` here: …", "Use a call such as `gh api pulls/7/files`:
 * …", "Run `bun` without `rtk` here, such as `bun run test`: …", "Run `bun test`, not `npm test`: …".
 */
export function findAdvisedCommand(text: string): string | null {
  return (
    /^(?:Use(?: a call such as)?|Run `[^`]+` without `[^`]+`(?: here)?, such as|Run(?= (?:`[^`]+`|(`{2,}) .+? \1), not )) (?:`([^`]+)`|(`{2,}) (.+?) \3)(?: here)?(?:: |, not )/
      .exec(text)
      ?.slice(1)
      .findLast((part) => part !== undefined) ?? null
  );
}

function warnsAgainst({ matcher }: SpokenRule, command: string): boolean {
  if (matcher === null || matcher.tool !== "shell") return false;
  const plain = stripSituation(matcher);
  // A matcher without a command would match any.
  if ((plain.head ?? plain.command ?? plain.runs ?? plain.has?.[0]) === undefined) return false;
  return matchesSteps(plain, parseSteps({ tool: "bash", input: { command }, cwd: null, workspace: null }), new Set());
}

function comesFirst(a: SpokenRule, b: SpokenRule): boolean {
  if (a.id === b.id) return false;
  if (isOwners(a)) return true;
  if (a.scope.kind !== b.scope.kind) return a.scope.kind === "workspace";
  return compareHardestFirst(a, b) < 0;
}

/** Only the owner gives a rule the level `ask` or `deny`. */
function isOwners({ origin, level }: SpokenRule): boolean {
  return origin === "owner" || level === "ask" || level === "deny";
}
