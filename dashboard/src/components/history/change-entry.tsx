import type { Change } from "../../api/contract.ts";
import { describeCause, describeChange, nameNoun, nameSubject } from "../../text/describe-change.ts";
import { changeSubject } from "../../actions/subjects.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { Differences } from "./differences.tsx";
import { Time } from "../time.tsx";
import { WithCommands } from "../with-commands.tsx";

export function ChangeEntry({ change }: { readonly change: Change }) {
  const { cause, undoneBy, undoes } = change;
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 py-2.5">
      <details class="group min-w-0 flex-1 basis-64">
        <summary class="flex items-start gap-2.5">
          <span class="pt-1.5">
            <Chevron />
          </span>
          <span class="min-w-0">
            <span class={`[overflow-wrap:anywhere] ${undoneBy === null ? "" : "text-faint line-through"}`}>
              <Badge>{nameNoun(change.noun)}</Badge> <WithCommands text={nameSubject(change)} />
            </span>
            <span class="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
              <span class="[overflow-wrap:anywhere] text-soft">{describeChange(change)}</span>
              <Time at={change.at} />
              <span>{change.actor}</span>
              <span class="break-words">{describeCause(cause)}</span>
              {undoneBy !== null && <Badge>undone</Badge>}
              {undoes !== null && <Badge tone="brass">undoes an earlier change</Badge>}
            </span>
          </span>
        </summary>
        <div class="mt-2 ml-5.5 bg-sunken px-3 py-2">
          <p class="mb-1.5 text-xs text-faint">
            {nameNoun(change.noun)} <code class="break-all">{change.subject}</code>
          </p>
          {change.scrubbed ? (
            <p class="text-xs text-faint">Its contents were forgotten.</p>
          ) : (
            <Differences before={change.before} after={change.after} />
          )}
        </div>
      </details>
      <ActionBar subject={changeSubject(change)} label={`Undo: ${change.summary}`} />
    </li>
  );
}
