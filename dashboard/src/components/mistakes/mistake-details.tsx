import type { ComponentChildren } from "preact";
import type { RepeatedMistake } from "../../api/contract.ts";
import type { MistakeEvidence } from "../../api/shapes.ts";
import { makePath, rulePath, sessionPath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { RuleStatusNote } from "../rules/rule-status-note.tsx";
import { MakeRule } from "./make-rule.tsx";
import { Time } from "../time.tsx";
import { TextBlock } from "../json-value.tsx";
import { WithCommands } from "../with-commands.tsx";

export function MistakeDetails({ mistake }: { readonly mistake: RepeatedMistake }) {
  const { cost, recovery, rule, otherRules, noRule, workspaces, hosts, first, last, evidence, count } = mistake;
  return (
    <dl class="grid gap-x-6 gap-y-3 pt-1 pb-5 sm:grid-cols-[6rem_minmax(0,1fr)] sm:pl-[5.25rem]">
      <Row name="Cost">
        {formatMany(cost.calls, "call")},{" "}
        {cost.minutes < 1 ? "less than a minute" : formatMany(Math.round(cost.minutes), "minute")}, about{" "}
        {formatMany(cost.tokens, "token")}
      </Row>
      <Row name="What worked">
        {recovery === null ? (
          <span class="text-faint">Nothing that worked was seen yet.</span>
        ) : (
          <>
            <code class="break-words text-good">{recovery.summary}</code>{" "}
            <span class="text-faint">({formatMany(recovery.times, "time")})</span>
          </>
        )}
      </Row>
      <Row name="Rule">
        {rule === null ? (
          <span class="text-soft">
            None: <WithCommands text={noRule ?? "not known why"} />.
          </span>
        ) : (
          <RuleLine rule={rule} />
        )}
        {otherRules.map((one) => (
          <p key={one.id ?? one.text} class="mt-2">
            <RuleLine rule={one} />
          </p>
        ))}
        {(rule === null || rule.id === null) && <MakeRule mistake={mistake} />}
      </Row>
      <Row name="Seen">
        <Time at={first} /> to <Time at={last} />, on {hosts.join(", ")}
        {workspaces.length > 0 && " in "}
        {workspaces.map((path, index) => (
          <span key={path}>
            {index > 0 && ", "}
            <a
              href={makePath("/sessions", { workspace: path })}
              title={path}
              class="break-all underline decoration-edge"
            >
              {workspaceName(path)}
            </a>
          </span>
        ))}
      </Row>
      <Row name="Evidence">
        <ol class="flex flex-col gap-3">
          {evidence.map((item) => (
            <EvidenceItem key={`${item.ref.session}/${item.ref.seq}`} item={item} />
          ))}
        </ol>
        {evidence.length < count && (
          <p class="mt-2 text-xs text-faint">
            {evidence.length} of {count} shown
          </p>
        )}
      </Row>
    </dl>
  );
}

function RuleLine({ rule }: { readonly rule: NonNullable<RepeatedMistake["rule"]> }) {
  return (
    <>
      {rule.id === null ? (
        <WithCommands text={rule.text} />
      ) : (
        <a href={rulePath(rule.id)} class="wrap-anywhere text-ink underline decoration-edge">
          <WithCommands text={rule.text} />
        </a>
      )}{" "}
      <RuleStatusNote rule={rule} noRule={null} />
    </>
  );
}

function EvidenceItem({ item }: { readonly item: MistakeEvidence }) {
  return (
    <li class="min-w-0 border-l border-edge pl-3">
      <p class="flex flex-wrap items-baseline gap-x-3">
        <a href={sessionPath(item.ref.session, item.ref.seq)} class="min-w-0 font-mono text-xs break-words">
          {item.summary}
        </a>
        <span class="text-xs text-faint">
          <Time at={item.at} />
        </span>
      </p>
      {item.error !== null && <TextBlock text={item.error} tone="text-fail mt-0.5" />}
    </li>
  );
}

function Row({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt class="text-sm text-faint max-sm:-mb-2.5">{name}</dt>
      <dd class="min-w-0 text-sm">{children}</dd>
    </>
  );
}
