import { newSubject } from "../actions/subjects.ts";
import type { Input, Output } from "../api/api-result.ts";
import { useResource } from "../api/use-resource.ts";
import { getQueryParameter } from "../browser/location.ts";
import { usePeriod } from "../browser/period.ts";
import { makePath } from "../browser/route.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { CapList } from "../components/models/cap-list.tsx";
import { GroupTable } from "../components/models/group-table.tsx";
import { LatestCalls } from "../components/models/latest-calls.tsx";
import { LearnedRoutes } from "../components/models/learned-routes.tsx";
import { ModelList } from "../components/models/model-list.tsx";
import { UsageCharts } from "../components/models/usage-charts.tsx";
import { UsageFigures } from "../components/models/usage-figures.tsx";
import { formatMany } from "../text/count.ts";
import { formatDollars } from "../text/money.ts";
import type { View } from "../view.ts";

/** While no time is chosen. */
const DAYS = 14;

export const models: View = {
  path: "/models",
  title: "Models",
  nav: { key: "o" },
  filter: { time: true, workspace: false, days: DAYS },
  Page: Models,
};

type Usage = Output<"models/usage">;
type Group = NonNullable<Input<"models/usage">["by"]>;

const groups: readonly { readonly by: Group; readonly name: string }[] = [
  { by: "provider", name: "Provider" },
  { by: "model", name: "Model" },
  { by: "task", name: "Kind of task" },
  { by: "agent", name: "Agent" },
];

/** What models cost, how well they did, and why each was chosen. */
function Models() {
  const by = groups.find((one) => one.by === getQueryParameter("by"))?.by ?? "provider";
  const { days, since, until } = usePeriod(DAYS);
  const period = {
    ...(days === undefined ? {} : { days }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
  const usage = useResource("models/usage", { by, ...period });
  const listed = useResource("models/list", {});
  const caps = useResource("models/caps", {});
  const stats = useResource("models/stats", {});
  return (
    <>
      <PageHead title="Models" lead={usage.value && makeLead(usage.value)}>
        <GroupChoice by={by} />
        <ActionBar subject={newSubject("mind")} first={["agents/complete"]} only label="Agents" />
      </PageHead>
      <div class="flex flex-col gap-8">
        <Loaded resource={usage} rows={10}>
          {(found) => (found.total.calls === 0 ? <NoCalls /> : <Used usage={found} />)}
        </Loaded>
        <PageSection title="Models and providers">
          <Loaded resource={listed} rows={3}>
            {(found) => <ModelList {...found} />}
          </Loaded>
        </PageSection>
        <PageSection title="Caps">
          <Loaded resource={caps} rows={2}>
            {(found) => <CapList caps={found.caps} day={found.day} />}
          </Loaded>
          <div class="mt-3">
            <ActionBar
              subject={newSubject("mind")}
              first={["models/caps/set", "models/caps/extend", "models/caps/remove"]}
              only
              label="Change caps"
            />
          </div>
        </PageSection>
        <PageSection title="What the router has learned">
          <Loaded resource={stats} rows={4}>
            {(found) => <LearnedRoutes stats={found} />}
          </Loaded>
          <div class="mt-3">
            <ActionBar subject={newSubject("mind")} first={["models/evolve"]} only label="Change routes" />
          </div>
        </PageSection>
      </div>
    </>
  );
}

function Used({ usage }: { readonly usage: Usage }) {
  const name = groups.find((one) => one.by === usage.by)?.name ?? "Provider";
  return (
    <div class="flex flex-col gap-8">
      <UsageFigures total={usage.total} />
      <UsageCharts usage={usage} />
      <PageSection title={`By ${name.toLowerCase()}`}>
        <GroupTable name={name} groups={usage.groups} />
      </PageSection>
      <PageSection title="Latest calls, and the reasons for their models">
        <LatestCalls calls={usage.calls} opened={getQueryParameter("call")} />
      </PageSection>
    </div>
  );
}

function GroupChoice({ by }: { readonly by: Group }) {
  return (
    <nav aria-label="Group by" class="flex flex-wrap gap-x-3 gap-y-1 text-sm">
      {groups.map((one) => (
        <a
          key={one.by}
          href={makeHref(one.by)}
          aria-current={one.by === by ? "true" : undefined}
          class={one.by === by ? "font-medium text-ink no-underline" : ""}
        >
          {one.name}
        </a>
      ))}
    </nav>
  );
}

/** The same page and period, with another grouping. */
function makeHref(by: Group): string {
  const kept = Object.fromEntries(["range", "from", "to"].map((name) => [name, getQueryParameter(name)]));
  return makePath("/models", { ...kept, by: by === "provider" ? null : by });
}

function NoCalls() {
  return (
    <Empty
      title="No model was called in this period"
      text="`oldhand models add PROVIDER/MODEL` adds a model; `oldhand agents complete NAME TASK` gives it a task."
    />
  );
}

function makeLead({ total, days }: Usage): string {
  if (total.calls === 0) return "Costs, calls, time and quality, and why each model was chosen";
  return `${formatMany(total.calls, "call")} for ${formatDollars(total.cost)} in ${formatMany(days.length, "day")}; days are in UTC, as for caps`;
}
