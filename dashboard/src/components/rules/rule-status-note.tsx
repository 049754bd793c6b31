import type { RepeatedMistake } from "../../api/contract.ts";
import { levelTone } from "./level-tone.ts";
import { Badge } from "../badge.tsx";

type Props = Pick<RepeatedMistake, "rule" | "noRule">;

/** The rule that covers a mistake and its status, or why there is none. */
export function RuleStatusNote({ rule, noRule }: Props) {
  if (rule === null)
    return (
      <span class="line-clamp-1 min-w-0 text-faint" title={noRule ?? ""}>
        no rule{noRule === null ? "" : `: ${noRule}`}
      </span>
    );
  return (
    <Badge tone={levelTone(rule.level)} title={rule.text}>
      {rule.status} · {rule.level}
    </Badge>
  );
}
