import { z } from "zod";
import { summariseUnreached } from "../attend/unreached-text.ts";
import { loadConfig, findOffFolder } from "../config.ts";
import { listRareCorrections } from "../distil/mining/mine-corrections.ts";
import type { Context } from "../context.ts";
import { explainFall } from "../domain/route/fall.ts";
import { listFailingProviders } from "../models/gateway/list-failing-providers.ts";
import { listFallenInUse } from "../models/gateway/list-fallen.ts";
import { spendingDay, warnOfCap } from "../domain/model/caps.ts";
import { formatModelRef } from "../domain/model/model-ref.ts";
import { explainRetired } from "../domain/model/retired-model.ts";
import { listRetiredHere } from "../models/gateway/note-retired.ts";
import { DAY, iso, systemClock } from "../lib/clock.ts";
import { plural } from "../lib/text.ts";
import { isSampleHome } from "../observe/imports/sample.ts";
import { resolveTypedWorkspace } from "../observe/protocol/workspace.ts";
import { defineOperation } from "../operation.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { countUnexplained, unexplainedLines, waitsForReview } from "../domain/rule/unknown-cause.ts";
import { listOverrides } from "../store/nouns/overrides.ts";
import { listRulesLearnedSince, formatLearnedLine, wrongLines } from "../recall/learned-line.ts";
import { listWaitingApprovals } from "../store/chat/approvals.ts";
import { listCapUsage } from "../store/models/cap-usage.ts";
import { listRules } from "../store/nouns/rules.ts";
import { countSessions } from "../store/sessions/sessions.ts";
import { owner } from "../domain/actor.ts";
import { findAddressee } from "../record/messages.ts";
import { countWaitingMessages } from "../store/work/messages.ts";
import { findAwayLine } from "./goals/letter.ts";
import { formatAlert } from "./shared/format-alert.ts";
import { listAlerts } from "../store/work/alerts.ts";
import { findPause } from "../store/work/pauses.ts";
import { version } from "../version.ts";
import { listOperatorActions } from "../domain/goal/operator-actions.ts";
import { listGoals } from "../store/nouns/goals.ts";
import { listTasks } from "../store/nouns/tasks.ts";
import { findGap } from "../work/goals/cycle/write-snapshot.ts";
import { findNoWorker } from "../work/jobs/find-no-worker.ts";
import { isShownNow } from "../recall/calls/explain-silence.ts";
import { wrongRules } from "../recall/calls/wrong-rules.ts";
import { formatWaiting } from "../distil/mining/waiting-text.ts";
import { listWatchedHosts } from "./sessions/hosts.ts";
import { listHostsLastSeen } from "./sessions/hosts-last-seen.ts";
import { defaultDays, readPeriod } from "./shared/period.ts";
import { isEventVisible, isScopeVisible } from "../domain/trust/visibility.ts";
import { sortLocalFirst, appendRuleScope } from "./rules/rule-scope-text.ts";

const status = defineOperation({
  name: "status",
  summary: "Shows what this mind holds, where it is stored, and when hosts were last heard.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({}),
  output: z.object({
    version: z.string(),
    home: z.string(),
    sample: z.boolean().describe("whether this mind holds the made-up sample instead of real events"),
    store: z.enum(["sqlite", "postgres"]),
    place: z.string(),
    off: z.boolean(),
    offWorkspaces: z.array(z.string()).describe("folders where oldhand is off"),
    counts: z.object({ sessions: z.number(), events: z.number(), failures: z.number(), rules: z.number() }),
    learned: z
      .array(
        z.object({
          id: z.string(),
          text: z.string(),
          scope: z.unknown(),
          shown: z.boolean().describe("whether agents are shown it now"),
        }),
      )
      .describe("rules mined in the days that `today` counts, counted alike"),
    wrong: z
      .array(z.object({ id: z.string(), text: z.string(), scope: z.unknown(), failed: z.number(), calls: z.number() }))
      .describe(
        "rules in force whose calls work more often than they fail, and that the owner has not decided on since",
      ),
    waiting: z.number().describe("number of rules that wait for review"),
    unexplained: z.number().describe("calls that fail repeatedly for a reason that oldhand does not recognise"),
    approvals: z.number().describe("actions of oldhand's own agent that wait for your answer"),
    messages: z.number().describe("messages of agents that wait for you"),
    away: z.string().nullable().describe("what became of goals since the owner last looked; null: nothing"),
    silent: z
      .array(z.object({ id: z.string(), text: z.string(), scope: z.unknown() }))
      .describe("rules among them that agents are not shown now"),
    heardOnce: z
      .array(z.object({ text: z.string(), at: z.string(), sessions: z.number() }))
      .describe("corrections heard in too few sessions for a rule; sessions: how many are needed"),
    retiredModels: z
      .array(z.object({ model: z.string(), message: z.string(), why: z.string() }))
      .describe("models in use that are left out because their provider does not know them"),
    failingProviders: z
      .array(z.string())
      .describe("providers of models that are not called now, or failed the last time, one sentence each"),
    fallenModels: z.array(z.string()).describe("models whose quality fell, one sentence each"),
    usedCaps: z.array(z.string()).describe("caps of models of which 80 % or more is used"),
    alerts: z.array(z.string()).describe("what the owner must know of, such as a job that failed too often"),
    operatorActions: z.array(z.string()).describe("what only the owner can do so that goals go on"),
    cycleGap: z.string().nullable().describe("set if cycles should run and do not"),
    noWorker: z.array(z.string()).describe("jobs that are due and that no worker runs, one sentence for each machine"),
    paused: z.string().nullable().describe("since when all jobs are paused"),
    pausedUntil: z.string().nullable().describe("when that ends by itself"),
    unreached: z
      .object({
        days: z.number(),
        hooks: z.number(),
        stopped: z.number().describe("calls stopped by the local copy of the rules"),
        passed: z.number().describe("calls judged by it that passed"),
        unjudged: z.number().describe("calls without a usable copy"),
        slow: z.number(),
        refused: z.number(),
        failed: z.number(),
        text: z.string().nullable(),
      })
      .describe("hooks on this machine that the PostgreSQL server did not answer in time, in the last days"),
    overridden: z
      .array(z.object({ rule: z.string(), at: z.string() }))
      .describe("rules that the owner lets the next call pass, once"),
    watched: z
      .array(z.string())
      .describe("while nothing was observed: the hosts whose hooks are in place on this machine"),
    hosts: z.array(z.object({ host: z.string(), lastFiredAt: z.string().nullable(), events: z.number() })),
  }),
  run: async (ctx) => {
    const { db, store, config, clock } = ctx;
    const seen = <T extends { readonly scope: Rule["scope"] }>(some: readonly T[]) =>
      some.filter((rule) => isScopeVisible(ctx, rule.scope));
    // Read again: it may have been switched since this process started.
    const { off } = loadConfig({ home: config.home });
    const rules = await listRules(db);
    const learned = await listRulesLearnedSince(db, rules, readPeriod(ctx, { days: defaultDays }).since);
    const waiting = seen(rules).filter(waitsForReview);
    const shown = await listShownNow(ctx, [...seen(learned), ...waiting]);
    const hosts = await listHostsLastSeen(db, ctx.within);
    const sum = (field: "events" | "failures") => hosts.reduce((total, host) => total + host[field], 0);
    return {
      version,
      home: config.home,
      sample: isSampleHome(config.home),
      store: store.kind,
      place: store.location,
      off: off.everywhere,
      offWorkspaces: off.workspaces.filter((one) => isEventVisible(ctx, one)),
      counts: {
        sessions: await countSessions(db, ctx.within),
        events: sum("events"),
        failures: sum("failures"),
        rules: seen(rules).length,
      },
      learned: seen(learned)
        .map((rule) => ({ id: rule.id, text: rule.text, scope: rule.scope, shown: shown.has(rule.id) }))
        .toSorted((a, b) => Number(b.shown) - Number(a.shown)),
      wrong: seen(
        (await wrongRules({ db, config, clock })).map(({ rule: { id, text, scope }, failed, calls }) => {
          return { id, text, scope, failed, calls };
        }),
      ),
      waiting: waiting.length,
      approvals: ctx.within === undefined ? (await listWaitingApprovals(db, clock.now())).length : 0,
      messages: ctx.within === undefined ? (await countWaitingMessages(db, findAddressee(ctx, owner))).own : 0,
      away: ctx.within === undefined ? await findAwayLine(ctx) : null,
      unexplained: countUnexplained(seen(rules)),
      silent: waiting.filter(({ id }) => !shown.has(id)).map(({ id, text, scope }) => ({ id, text, scope })),
      // A correction that is not a rule yet has no workspace, so only the owner sees it.
      heardOnce:
        ctx.within !== undefined
          ? []
          : (await listRareCorrections(ctx, clock.now() - config.policy.distil.mineDays * DAY)).map((one) => ({
              ...one,
              at: iso(one.at),
            })),
      retiredModels: await listRetiredInUse(db, config),
      failingProviders: ctx.within === undefined ? (await listFailingProviders(ctx)).map(({ text }) => text) : [],
      fallenModels: ctx.within === undefined ? (await listFallenInUse(ctx)).map(explainFall) : [],
      usedCaps: ctx.within === undefined ? await listUsedCaps(db, clock.now()) : [],
      alerts: ctx.within === undefined ? await listAlertTexts(db) : [],
      operatorActions:
        ctx.within === undefined
          ? [...listOperatorActions({ goals: await listGoals(db), tasks: await listTasks(db) })]
          : [],
      cycleGap: ctx.within === undefined ? await findGap(ctx) : null,
      noWorker: ctx.within === undefined ? [...(await findNoWorker(ctx))] : [],
      ...(await findPaused(ctx)),
      unreached: summariseUnreached(config.home, systemClock.now()),
      overridden: ctx.within === undefined ? await listOverridden(db) : [],
      watched: hosts.length === 0 ? [...(await listWatchedHosts(ctx))] : [],
      hosts: hosts.map((host) => ({ host: host.host, lastFiredAt: iso(host.last_at), events: host.events })),
    };
  },
  render: (now) =>
    [
      `oldhand ${now.version}, mind at ${now.place}${now.off ? ", switched off (oldhand on)" : ""}`,
      ...(now.sample ? ["SAMPLE: everything in this mind is made up"] : []),
      ...formatOff(now),
      `${plural(now.counts.sessions, "session")}, ${plural(now.counts.events, "event")}, ${plural(now.counts.failures, "failure")}, ${plural(now.counts.rules, "rule")}`,
      ...now.alerts.map(formatAlert),
      ...now.noWorker.map(formatAlert),
      ...(now.cycleGap === null ? [] : [formatAlert(now.cycleGap)]),
      ...now.operatorActions,
      ...(now.unreached.text === null ? [] : [`${now.unreached.text} (oldhand doctor)`]),
      ...(now.paused === null
        ? []
        : [
            `jobs are paused since ${now.paused}${now.pausedUntil === null ? "" : ` until ${now.pausedUntil}`} (oldhand resume)`,
          ]),
      ...(now.counts.events === 0 ? [formatNothingObserved(now.watched)] : []),
      ...(now.learned.length > 0
        ? [formatLearnedLine(`learned in the last ${defaultDays} days: `, addScopes(now.learned), now.waiting)]
        : []),
      ...wrongLines(addScopes(now.wrong)),
      ...now.retiredModels.map(({ model, why }) => `${model} is ${why}`),
      ...now.failingProviders,
      ...now.fallenModels,
      ...now.usedCaps,
      ...(now.approvals > 0
        ? [`${plural(now.approvals, "action")} of oldhand's own agent wait for your answer (oldhand approvals list)`]
        : []),
      ...(now.messages > 0
        ? [`${plural(now.messages, "message waits", "messages wait")} for you (oldhand message take)`]
        : []),
      ...(now.away === null ? [] : [now.away]),
      ...now.overridden.map(({ rule, at }) => `rule ${rule}: the next call may pass it, once (override of ${at})`),
      ...formatWaiting({ ...now, silent: addScopes(now.silent), isCounted: now.learned.length > 0 }),
      ...unexplainedLines(now.unexplained),
      ...now.hosts.map(
        (host) => `${host.host.padEnd(14)} last heard ${host.lastFiredAt ?? "never"}, ${plural(host.events, "event")}`,
      ),
    ].join("\n"),
});

async function listShownNow(ctx: Context, rules: readonly Rule[]): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  for (const rule of new Map(rules.map((one) => [one.id, one])).values())
    if (await isShownNow(ctx, rule)) shown.add(rule.id);
  return shown;
}

async function listRetiredInUse(db: Context["db"], { providers }: Context["config"]) {
  const { models, defaultModel } = providers;
  const used = [...models, ...(defaultModel === null ? [] : [defaultModel])].map(formatModelRef);
  const retired = (await listRetiredHere(db, providers)).filter(({ id }) => used.includes(id));
  return retired.map((one) => ({ model: one.id, message: one.message, why: explainRetired(one) }));
}

async function listAlertTexts(db: Context["db"]): Promise<string[]> {
  return (await listAlerts(db, { unseen: true, limit: MOST_ALERTS })).map(({ text }) => text);
}

const MOST_ALERTS = 5;

interface Paused {
  readonly paused: string | null;
  readonly pausedUntil: string | null;
}

async function findPaused({ db, clock, within }: Pick<Context, "db" | "clock" | "within">): Promise<Paused> {
  const pause = within === undefined ? await findPause(db, clock.now()) : null;
  const until = pause?.until ?? null;
  return { paused: pause === null ? null : iso(pause.since), pausedUntil: until === null ? null : iso(until) };
}

async function listOverridden(db: Context["db"]): Promise<{ rule: string; at: string }[]> {
  const open = (await listOverrides(db)).filter(({ used }) => used === null);
  return open.map(({ rule, createdAt }) => ({ rule, at: iso(createdAt) }));
}

async function listUsedCaps(db: Context["db"], now: number): Promise<string[]> {
  const all = await listCapUsage(db, now);
  return all.flatMap(({ cap, ...budget }) => warnOfCap(cap, budget, spendingDay(now)) ?? []);
}

function formatNothingObserved(watched: readonly string[]): string {
  return watched.length === 0
    ? "Nothing was observed yet. `oldhand install` connects your agents; `oldhand import` imports their history."
    : `Nothing was observed yet. ${watched.join(", ")} ${watched.length === 1 ? "is" : "are"} observed from the next session on. \`oldhand import\` imports history.`;
}

function formatOff({
  off,
  offWorkspaces,
}: {
  readonly off: boolean;
  readonly offWorkspaces: readonly string[];
}): readonly string[] {
  const here = off ? null : findOffFolder({ everywhere: false, workspaces: offWorkspaces }, resolveTypedWorkspace("."));
  if (here !== null)
    return [`switched off in this folder (oldhand on --workspace ${here === resolveTypedWorkspace(".") ? "." : here})`];
  return offWorkspaces.length === 0 ? [] : [`switched off in ${offWorkspaces.join(", ")}`];
}

function addScopes<T extends { readonly text: string; readonly scope: unknown }>(rules: readonly T[]): readonly T[] {
  return sortLocalFirst(rules).map((rule) => ({ ...rule, text: appendRuleScope(rule.text, rule.scope) }));
}

export const statusOperations = [status] as const;
