import type { Rule } from "../api/contract.ts";
import { levelTone } from "./level-tone.ts";
import { Badge } from "./badge.tsx";

type Props = { readonly rule: Pick<Rule, "text" | "status" | "level"> | null };

/** Whether anything is being done about it. */
export function RuleMark({ rule }: Props) {
  if (rule === null) return <span class="text-faint">no rule yet</span>;
  return (
    <Badge tone={levelTone(rule.level)} title={rule.text}>
      {rule.status} · {rule.level}
    </Badge>
  );
}
