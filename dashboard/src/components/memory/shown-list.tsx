import type { ShownItem } from "../../api/shapes.ts";
import { rulePath, sessionPath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { Badge } from "../badge.tsx";
import { levelTitle, levelTone } from "../rules/level-tone.ts";
import { Time } from "../time.tsx";
import { WithCommands } from "../with-commands.tsx";

type Props = {
  readonly shown: readonly ShownItem[];
  /** Which of the two to show; the page is about the other one. */
  readonly link: "session" | "rule";
};

/** The list of what agents were shown, and its effect. */
export function ShownList({ shown, link }: Props) {
  return (
    <ul class="divide-y divide-line border-y border-line">
      {shown.map((one, index) => (
        <li key={index} class="flex flex-wrap items-baseline gap-x-4 py-1.5 text-sm">
          <span class="w-20 shrink-0 text-faint">
            <Time at={one.at} />
          </span>
          <span class="min-w-0 flex-1 basis-48 break-words">
            {link === "session" ? <SessionLink one={one} /> : <RuleLink one={one} />}
          </span>
          <span class="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
            <span>{one.moment.replaceAll("-", " ")}</span>
            <Badge tone={levelTone(one.level)} title={levelTitle(one.level)}>
              {one.level}
            </Badge>
            <span>{formatMany(one.tokens, "token")}</span>
            <CameOf broken={one.broken} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function SessionLink({ one }: { readonly one: ShownItem }) {
  return (
    <>
      <a href={sessionPath(one.session)} class="break-all">
        {one.session}
      </a>{" "}
      <span class="text-faint">{one.host}</span>
    </>
  );
}

function RuleLink({ one }: { readonly one: ShownItem }) {
  if (one.text === null) return <span class="text-faint">a rule that was forgotten ({one.rule})</span>;
  return (
    <a href={rulePath(one.rule)} class="text-ink">
      <WithCommands text={one.text} />
    </a>
  );
}

function CameOf({ broken }: { readonly broken: boolean | null }) {
  if (broken === null)
    return (
      <span title="A session is judged an hour after its last event; a call that was made and worked counts neither as kept nor as broken">
        not judged yet
      </span>
    );
  return broken ? <Badge tone="fail">broken</Badge> : <Badge tone="good">kept</Badge>;
}
