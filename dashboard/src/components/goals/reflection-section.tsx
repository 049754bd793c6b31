import { newSubject } from "../../actions/subjects.ts";
import type { Operations } from "../../api/contract.ts";
import { useResource } from "../../api/use-resource.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge } from "../badge.tsx";
import { Loaded } from "../frame/loaded.tsx";
import { PageSection } from "../frame/page-section.tsx";
import { Time } from "../time.tsx";

type Reflections = Operations["reflections"]["output"];

/** What looking back over the work found: what blocks, which strategies fail, and the last reflections. */
export function ReflectionSection() {
  return (
    <div class="mt-8">
      <PageSection title="Reflections">
        <Loaded resource={useResource("reflections", { limit: 5 })} rows={2}>
          {({ due, reflections, strategies, blockers }) => (
            <div class="flex flex-col gap-4 text-sm">
              <div class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5">
                <p class="text-soft">
                  {due.due ? "A reflection is due" : "No reflection is due"}: {due.why}.
                </p>
                <ActionBar subject={newSubject("goal")} first={["reflect"]} only label="Reflections" />
              </div>
              {blockers.length > 0 && <BlockerList blockers={blockers} />}
              {strategies.length > 0 && <StrategyTable strategies={strategies} />}
              {reflections.length > 0 && (
                <ol aria-label="Last reflections" class="divide-y divide-line border-y border-line">
                  {reflections.map(({ id, at, summary }) => (
                    <li key={id} class="py-2">
                      <p class="text-xs text-soft">
                        <Time at={at} />
                      </p>
                      <p class="[overflow-wrap:anywhere] whitespace-pre-wrap">{summary}</p>
                    </li>
                  ))}
                </ol>
              )}
            </div>
          )}
        </Loaded>
      </PageSection>
    </div>
  );
}

function BlockerList({ blockers }: Pick<Reflections, "blockers">) {
  return (
    <ul aria-label="What blocks" class="divide-y divide-line border-y border-line">
      {blockers.map(({ cause, kind, goals, tasks }) => (
        <li key={cause} class="flex flex-wrap items-baseline gap-x-2 py-2">
          <Badge tone="fail">{kind === "credential" ? "you are needed" : "blocked"}</Badge>
          <span class="[overflow-wrap:anywhere]">{cause}</span>
          <span class="text-soft">
            {tasks.length} {tasks.length === 1 ? "task" : "tasks"} of {goals.join(", ")}
          </span>
        </li>
      ))}
    </ul>
  );
}

function StrategyTable({ strategies }: Pick<Reflections, "strategies">) {
  return (
    <div class="overflow-x-auto">
      <table aria-label="Strategies" class="w-full text-left">
        <thead class="text-xs text-soft">
          <tr>
            <th class="pr-4 font-normal">Strategy</th>
            <th class="pr-4 text-right font-normal">Verified</th>
            <th class="pr-4 text-right font-normal">Claimed</th>
            <th class="text-right font-normal">Failed</th>
          </tr>
        </thead>
        <tbody>
          {strategies.map(({ strategy, verified, claimed, failed, flagged }) => (
            <tr key={strategy} class="border-t border-line align-baseline">
              <td class="py-1 pr-4 [overflow-wrap:anywhere]">
                {strategy} {flagged && <Badge tone="warn">try another way</Badge>}
              </td>
              <td class="pr-4 text-right tabular-nums">{verified}</td>
              <td class="pr-4 text-right tabular-nums">{claimed}</td>
              <td class="text-right tabular-nums">{failed}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
