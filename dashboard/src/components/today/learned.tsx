import type { Output } from "../../api/api-result.ts";
import { rulePath } from "../../browser/route.ts";
import { Badge } from "../badge.tsx";
import { levelTitle, levelTone } from "../rules/level-tone.ts";
import { Time } from "../time.tsx";
import { WithCommands } from "../with-commands.tsx";

type Props = { readonly learned: Output<"today">["learned"] };

/** The newest rules, one line each. */
export function Learned({ learned }: Props) {
  if (learned.length === 0)
    return (
      <p class="border-y border-line py-3 text-soft">
        No new rule in this time. A mistake becomes one when it repeats.
      </p>
    );
  return (
    <ul aria-label="Learned" class="divide-y divide-line border-y border-line">
      {learned.map(({ id, text, status, level, at }) => (
        <li key={id} class="py-2">
          <a href={rulePath(id)} class="line-clamp-3 break-words text-ink" title={text}>
            <WithCommands text={text} />
          </a>
          <p class="flex flex-wrap items-baseline gap-x-2 text-xs text-faint">
            <span>{status}</span>
            <Badge tone={levelTone(level)} title={levelTitle(level)}>
              {level}
            </Badge>
            <Time at={at} />
          </p>
        </li>
      ))}
    </ul>
  );
}
