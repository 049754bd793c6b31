import type { RepeatedMistake } from "../../api/contract.ts";
import { levelTone } from "./level-tone.ts";
import { Badge } from "../badge.tsx";
import { WithCommands } from "../with-commands.tsx";

type Props = Pick<RepeatedMistake, "rule" | "noRule">;

const FACT = "a fact: ";

/** Some mistakes are stored as a fact instead of a rule. */
function describeMissing(noRule: string | null): string {
  if (noRule?.startsWith(FACT)) return `a fact instead of a rule: ${noRule.slice(FACT.length)}`;
  return noRule === null ? "no rule" : `no rule: ${noRule}`;
}

/** The rule that covers a mistake and its status, or why there is none. */
export function RuleStatusNote({ rule, noRule }: Props) {
  if (rule === null)
    return (
      <span class="line-clamp-1 min-w-0 text-faint" title={noRule ?? ""}>
        <WithCommands text={describeMissing(noRule)} />
      </span>
    );
  return (
    <Badge tone={levelTone(rule.level)} title={rule.text}>
      {rule.status} · {rule.level}
    </Badge>
  );
}
