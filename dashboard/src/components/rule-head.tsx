import type { Rule } from "../api/contract.ts";
import { pathWith } from "../browser/route.ts";
import { many, percent } from "../text/count.ts";
import { hostsInWords } from "../text/hosts.ts";
import { scopeInWords } from "../text/scope.ts";
import { Badge } from "./badge.tsx";
import { Chevron } from "./chevron.tsx";
import { Fact } from "./fact.tsx";
import { levelTone } from "./level-tone.ts";
import { Time } from "./time.tsx";
import { Value } from "./value.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";
import { WithCommands } from "./with-commands.tsx";

export function RuleHead({ rule }: { readonly rule: Rule }) {
  return (
    <>
      <h1 tabIndex={-1} class="mt-1 max-w-[75ch] text-lg break-words">
        <WithCommands text={rule.text} />
      </h1>
      <p class="mt-2 flex flex-wrap gap-1.5">
        <Badge>{rule.status}</Badge>
        <Badge tone={levelTone(rule.level)}>{rule.level}</Badge>
        <VerdictBadge effect={rule.effect} />
        {rule.pinned && <Badge tone="brass">pinned</Badge>}
      </p>
      <dl class="mt-2 flex flex-wrap gap-x-6 gap-y-0.5 text-sm">
        <Fact name="confidence">{percent(rule.confidence)}</Fact>
        <Fact name="salience">{percent(rule.salience)}</Fact>
        <Fact name="origin">{rule.origin}</Fact>
        <Fact name="scope">{scopeInWords(rule.scope)}</Fact>
        {rule.evidence.observations > 0 && (
          <Fact name="seen">
            {many(rule.evidence.observations, "time")} in {many(rule.evidence.sessions, "session")}, last{" "}
            <Time at={rule.evidence.last} />
          </Fact>
        )}
        {rule.evidence.hosts.length > 0 && <Fact name="learned on">{hostsInWords(rule.evidence)}</Fact>}
        {rule.doubt !== null && (
          <Fact name="faded">
            {Object.entries(rule.doubt)
              .map(([host, release]) => `${host} is now ${release}`)
              .join(", ")}
          </Fact>
        )}
        <Fact name="id">
          <code class="break-all">{rule.id}</code>
        </Fact>
        {rule.signature !== null && !rule.signature.startsWith("pattern ") && (
          <Fact name="from">
            <a href={pathWith("/failures", { signature: rule.signature })}>the mistake</a>
          </Fact>
        )}
      </dl>
      {rule.matcherInWords !== null && (
        <details class="group mt-2">
          <summary class="inline-flex items-baseline gap-1.5 text-sm text-soft hover:text-ink">
            <Chevron />
            <span>
              Speaks against <WithCommands text={rule.matcherInWords} />
            </span>
          </summary>
          <div class="mt-1.5 bg-sunken px-3 py-2">
            <Value value={rule.matcher} />
          </div>
        </details>
      )}
    </>
  );
}
