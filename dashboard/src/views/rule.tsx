import type { Output } from "../api/api-result.ts";
import type { Rule } from "../api/contract.ts";
import { useQueryOnce } from "../api/use-query-once.ts";
import { useResource } from "../api/use-resource.ts";
import { type Params, makePath } from "../browser/route.ts";
import { usePlace } from "../actions/commands.ts";
import { ruleSubject } from "../actions/subjects.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { BacktestFigures } from "../components/rules/backtest-figures.tsx";
import { ChangeEntry } from "../components/history/change-entry.tsx";
import { TrendChart } from "../components/chart/trend-chart.tsx";
import { EffectChart } from "../components/rules/effect-chart.tsx";
import { EvidenceList } from "../components/rules/evidence-list.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { RuleHead } from "../components/rules/rule-head.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { ShownList } from "../components/memory/shown-list.tsx";
import { formatMany } from "../text/count.ts";
import { noFilter, type View } from "../view.ts";

type RuleWhy = Output<"rules/why">;

export const rule: View = { path: "/rules/:id", title: "Rule", filter: noFilter, Page: RulePage };

const SHOWN = 100;

/** Everything about one rule: its text, its evidence, its backtest and its effect. */
function RulePage({ params }: { readonly params: Params }) {
  const id = params["id"] ?? "";
  const found = useResource("rules/show", { id });
  const why = useResource("rules/why", { id });
  usePlace(found.value && ruleSubject(found.value));
  return (
    <>
      <p class="text-sm">
        <a href="/rules">← Rules</a>
      </p>
      {found.value === null && <h1 tabIndex={-1}>Rule</h1>}
      <Loaded resource={found} rows={4}>
        {(one) => (
          <>
            <RuleHead rule={one} />
            <div class="mt-3">
              <ActionBar
                subject={ruleSubject(one)}
                first={["rules/approve", "rules/reject", "rules/retire", "rules/edit", "override"]}
              />
            </div>
            <div class="mt-6 flex flex-col gap-8">
              {one.matcherInWords !== null && (
                <PageSection title="Failures by day">
                  <TrendChart label="Failed calls that the rule warns against" of={{ rule: id }} show={["failures"]} />
                </PageSection>
              )}
              <PageSection title="Backtest">
                {one.matcherInWords === null ? <Nothing text={noMatcher(one)} /> : <Replayed rule={one} />}
              </PageSection>
              <PageSection title="Before and after">
                {one.effect === null || hasNothingToCompare(one.effect) ? (
                  <Nothing text="Its situation has not come up since it was first shown: there is nothing to compare yet." />
                ) : (
                  <Measured rule={one} />
                )}
              </PageSection>
              <PageSection title="Where it comes from">
                <Loaded resource={why} rows={3}>
                  {({ because }) => <Because because={because} />}
                </Loaded>
              </PageSection>
              <PageSection title="Who saw it">
                <WhoSaw rule={one} />
              </PageSection>
              <PageSection title="History">
                <Loaded resource={why} rows={2}>
                  {({ changes }) => (
                    <ol class="divide-y divide-line border-y border-line">
                      {changes.toReversed().map((change) => (
                        <ChangeEntry key={change.id} change={change} />
                      ))}
                    </ol>
                  )}
                </Loaded>
              </PageSection>
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

// Both replay recorded calls, so they run when the page opens and not on every event.
function Replayed({ rule: { id } }: { readonly rule: Rule }) {
  return (
    <Loaded resource={useQueryOnce("rules/backtest", { id })} rows={2}>
      {(found) => <BacktestFigures found={found} />}
    </Loaded>
  );
}

function Measured({ rule: { id } }: { readonly rule: Rule }) {
  return (
    <Loaded resource={useQueryOnce("rules/effect", { id })} rows={3}>
      {(effect) => <EffectChart effect={effect} />}
    </Loaded>
  );
}

function Because({ because }: Pick<RuleWhy, "because">) {
  if (because.length === 0)
    return <Nothing text="It comes from no recorded call: it was written by hand, or comes from the ledger." />;
  return <EvidenceList because={because} />;
}

function WhoSaw({ rule: { id, signature } }: { readonly rule: Rule }) {
  const resource = useResource("rules/shown", { id, limit: SHOWN });
  return (
    <Loaded resource={resource} rows={2}>
      {({ shown }) => {
        const shownRules = shown.length < SHOWN ? formatMany(shown.length, "time") : `more than ${SHOWN - 1} times`;
        const sessions = (some: typeof shown) => new Set(some.map((one) => `${one.host} ${one.session}`)).size;
        const broken = sessions(shown.filter((one) => one.broken === true));
        const kept = sessions(shown.filter((one) => one.broken === false));
        return (
          <>
            {shown.length === 0 ? (
              <Nothing text="No session has been shown it yet." />
            ) : (
              <>
                <p class="mb-2 text-sm text-soft">
                  Shown {shownRules};{" "}
                  {broken + kept === 0
                    ? "no session is judged yet"
                    : `broken afterwards in ${formatMany(broken, "session")}, kept in ${formatMany(kept, "session")}`}
                  .
                </p>
                <ShownList shown={shown} link="session" />
              </>
            )}
            {signature?.startsWith(PATTERN) && (
              <p class="mt-2 text-sm">
                <a href={makePath("/ledger", { pattern: signature.slice(PATTERN.length) })}>
                  Mistakes of its pattern count as breaking it
                </a>
              </p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const PATTERN = "pattern ";

function hasNothingToCompare({ before, after, heldOut }: NonNullable<Rule["effect"]>): boolean {
  return [before, after, heldOut].every((arm) => arm.opportunities === 0);
}

function noMatcher({ level }: Rule): string {
  return `It has no matcher, so there is nothing to test it on${level === "advise" ? ": it only advises" : ""}.`;
}

function Nothing({ text }: { readonly text: string }) {
  return <p class="border-y border-line py-3 text-soft">{text}</p>;
}
