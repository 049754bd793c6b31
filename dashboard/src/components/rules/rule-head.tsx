import type { Rule } from "../../api/contract.ts";
import { makePath } from "../../browser/route.ts";
import { formatCount, formatMany, formatPercent } from "../../text/count.ts";
import { formatHosts } from "../../text/hosts.ts";
import { formatScope } from "../../text/scope.ts";
import { Badge } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { DefinitionItem } from "../definition-item.tsx";
import { levelTitle, levelTone } from "./level-tone.ts";
import { Time } from "../time.tsx";
import { JsonValue } from "../json-value.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";
import { WithCommands } from "../with-commands.tsx";

export function RuleHead({ rule }: { readonly rule: Rule }) {
  return (
    <>
      <h1 tabIndex={-1} class="mt-1 max-w-[75ch] text-lg text-pretty [overflow-wrap:anywhere]">
        <WithCommands text={rule.text} />
      </h1>
      <p class="mt-2 flex flex-wrap gap-1.5">
        <Badge>{rule.status}</Badge>
        <Badge tone={levelTone(rule.level)} title={levelTitle(rule.level)}>
          {rule.level}
        </Badge>
        <VerdictBadge effect={rule.effect} />
        {rule.pinned && <Badge tone="brass">pinned</Badge>}
      </p>
      <dl class="mt-2 flex flex-wrap gap-x-6 gap-y-0.5 text-sm">
        {rule.backtest !== null && rule.backtest.fired > 0 && (
          <DefinitionItem name="failed" title="how many of the recorded calls that it warns against failed">
            {formatCount(rule.backtest.hits)} of {formatCount(rule.backtest.fired)}
          </DefinitionItem>
        )}
        <DefinitionItem name="salience" title="how much it stands out: it decides which rules are shown first">
          {formatPercent(rule.salience)}
        </DefinitionItem>
        <DefinitionItem name="origin">{rule.origin}</DefinitionItem>
        <DefinitionItem name="scope">{formatScope(rule.scope)}</DefinitionItem>
        {rule.evidence.observations > 0 && (
          <DefinitionItem name="seen">
            {formatMany(rule.evidence.observations, "time")} in {formatMany(rule.evidence.sessions, "session")}, last{" "}
            <Time at={rule.evidence.last} />
          </DefinitionItem>
        )}
        {rule.evidence.hosts.length > 0 && (
          <DefinitionItem name="learned on">{formatHosts(rule.evidence)}</DefinitionItem>
        )}
        {rule.doubt !== null && (
          <DefinitionItem name="faded">
            {Object.entries(rule.doubt)
              .map(([host, release]) => `${host} is now ${release}`)
              .join(", ")}
          </DefinitionItem>
        )}
        <DefinitionItem name="id">
          <code class="break-all">{rule.id}</code>
        </DefinitionItem>
        {rule.signature !== null && !rule.signature.startsWith("pattern ") && (
          <DefinitionItem name="from">
            <a href={makePath("/failures", { signature: rule.signature })}>the mistake</a>
          </DefinitionItem>
        )}
      </dl>
      {rule.withheld !== undefined && (
        <p class="mt-2 max-w-[75ch] text-sm [overflow-wrap:anywhere]">
          What worked: <code>{rule.withheld.line}</code>. Agents are not shown it:{" "}
          <WithCommands text={rule.withheld.reason} />.
        </p>
      )}
      {rule.matcherInWords !== null && (
        <details class="group mt-2">
          <summary class="flex items-baseline gap-1.5 text-sm text-soft hover:text-ink">
            <Chevron />
            <span class="min-w-0 [overflow-wrap:anywhere]">
              Warns against <WithCommands text={rule.matcherInWords} />
            </span>
          </summary>
          <div class="mt-1.5 bg-sunken px-3 py-2">
            <JsonValue value={rule.matcher} />
          </div>
        </details>
      )}
    </>
  );
}
