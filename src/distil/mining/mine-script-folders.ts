import type { Context } from "../../context.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import { joinWords } from "../../domain/cause/sentence-parts.ts";
import { findCommandFolder } from "../../domain/fact/call-needs.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import { formOf } from "../../domain/rule/delivery/hold-form.ts";
import { anySubcommand, matchesSteps } from "../../domain/rule/matching/matcher.ts";
import { proposedLevel, softerLevel } from "../../domain/rule/promote.ts";
import type { Matcher } from "../../domain/rule/rule.ts";
import { isShellTool, parseCommands } from "../../domain/shell/command.ts";
import { plainPath } from "../../domain/shell/plain-path.ts";
import { findRunScript } from "../../domain/shell/run-script.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { parseSteps, type Step } from "../../domain/shell/step.ts";
import { lastPathName } from "../../domain/text/path-names.ts";
import { changesTarget } from "../../domain/text/target-change.ts";
import { inlineCode } from "../../domain/text/tool-name.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import { groupBy } from "../../lib/group-by.ts";
import { listGroupNames, listTries, type TriedEvent } from "../../store/derived/tries.ts";
import { parseGroupHead } from "./families.ts";
import type { GroupTry } from "./find-causes.ts";
import { callKey, makeCallEvidence, type Proposal } from "./proposal.ts";

/** A call of a script by a relative path, with the folder in which it ran. */
interface ScriptCall extends TriedEvent {
  /** Relative to the workspace; empty for the workspace itself. */
  readonly folder: string;
  /** As typed, up to the script: `python3 manage.py`. */
  readonly typed: string;
  readonly script: string;
  readonly step: Step;
  readonly isMissing: boolean;
}

/** It must have worked in the other folder in at least this many sessions. */
const MIN_SESSIONS = 2;

/** Calls read of one group; others are older. */
const MAX_CALLS = 1_000;

/**
 * Proposes one rule for each script that was missing in the folder of the call and worked in exactly one other folder. The
 * call stays as the agent typed it; only the place differs.
 */
export async function mineScriptFolders(
  ctx: Pick<Context, "db" | "config">,
  tries: readonly GroupTry[],
): Promise<readonly Proposal[]> {
  const missing = tries.flatMap((one) =>
    one.failed ? (parseScriptCall({ ...one, result: "failed", state: [] }) ?? []) : [],
  );
  const scripts = groupBy(
    missing.filter((one) => one.isMissing),
    (one) => JSON.stringify([one.event.workspace, one.typed]),
  );
  if (scripts.size === 0) return [];
  const groups = await listGroupNames(ctx.db);
  const proposals: Proposal[] = [];
  for (const [first] of scripts.values()) {
    if (first === undefined) continue;
    const made = await makeProposal(ctx, await listScriptCalls(ctx.db, groups, first), first);
    if (made !== null) proposals.push(made);
  }
  return proposals;
}

async function listScriptCalls(
  db: Context["db"],
  groups: readonly string[],
  { typed, script, event }: ScriptCall,
): Promise<readonly ScriptCall[]> {
  const [program = ""] = typed.split(" ", 1);
  const base = lastPathName(script);
  const isOfScript = (group: string) => {
    const words = parseGroupHead(group)?.split(" ") ?? [];
    return words.includes(base) || (words.length === 1 && words[0] === program);
  };
  const calls = new Map<number, ScriptCall>();
  for (const group of groups.filter(isOfScript))
    for (const one of await listTries(db, group, MAX_CALLS)) {
      const call = one.event.workspace === event.workspace ? parseScriptCall(one) : null;
      if (call !== null && call.typed === typed) calls.set(one.event.id, call);
    }
  return [...calls.values()].toSorted((a, b) => a.event.id - b.event.id);
}

function parseScriptCall(tried: TriedEvent): ScriptCall | null {
  const { event, result } = tried;
  const shell = isShellTool(event.tool) ? findShellText(event.input) : null;
  if (shell === null || event.workspace === null) return null;
  for (const command of parseCommands(shell)) {
    const called = findScript(command.program, command.words);
    if (called === null) continue;
    const folder = findCommandFolder(command, event.cwd);
    const inside = folder === null ? null : relativePathWithin(event.workspace, folder);
    const step = parseSteps(event).find((one) => one.command === command.text);
    if (inside === null || step === undefined) return null;
    return {
      ...tried,
      ...called,
      folder: inside,
      step,
      isMissing: result === "failed" && isMissed(event, called.script),
    };
  }
  return null;
}

/** True if the error says that there is no such script. */
function isMissed(event: TriedEvent["event"], script: string): boolean {
  const error = event.error ?? "";
  const cause = detectCause(event, error);
  if (cause === null || !absences.has(cause.kind)) return false;
  const thing = plainPath(cause.thing ?? "", null);
  if (cause.thing === null) return error.includes(`/${script}: No such file`);
  return thing === script || (thing.startsWith("/") && thing.endsWith(`/${script}`));
}

const absences: ReadonlySet<string> = new Set(["missing-path", "missing-module"]);

function findScript(program: string, words: readonly string[]): Pick<ScriptCall, "typed" | "script"> | null {
  const run = findRunScript({ program, words });
  const [first = ""] = words;
  const called = run ?? (first.includes("/") ? { script: plainPath(first, null), typed: first } : null);
  if (called === null) return null;
  const script = called.script.replace(/^\.\//, "");
  return /^[\w@-][\w.@-]*(?:\/[\w@-][\w.@-]*)*$/.test(script) ? { script, typed: called.typed } : null;
}

async function makeProposal(
  { db, config }: Pick<Context, "db" | "config">,
  calls: readonly ScriptCall[],
  { event: { workspace }, typed, script }: ScriptCall,
): Promise<Proposal | null> {
  const { distil } = config.policy;
  const failures = calls.filter((one) => one.isMissing);
  const worked = calls.filter((one) => one.result === "worked");
  const [last] = failures.slice(-1);
  const [folder, ...others] = new Set(worked.map((one) => one.folder));
  const lacking = [...new Set(failures.map((one) => one.folder))].toSorted();
  if (last === undefined || workspace === null || folder === undefined || folder === "" || others.length > 0)
    return null;
  if (failures.length < distil.minCount || countSessions(worked) < MIN_SESSIONS || lacking.includes(folder))
    return null;
  if (!/^[\w./@-]+$/.test(folder) || changesTarget(folder, script)) return null;
  const matcher = buildMatcher(last, { workspace, folder });
  const fired = calls.filter(
    (one) => one.result !== "unclear" && matchesSteps(matcher, parseSteps(one.event), new Set(one.state)),
  );
  const hits = fired.filter((one) => one.isMissing);
  const tally = { hits: hits.length, falseAlarms: fired.length - hits.length, sessions: countSessions(hits) };
  const lower = wilsonLower(hits.length, fired.length);
  const places = lacking.map((one) => (one === "" ? "the workspace root" : inlineCode(one)));
  const such = matcher.has?.includes(anySubcommand) === true ? `${typed} …` : typed;
  return {
    miner: "failures",
    text: `Run ${inlineCode(such)} in ${inlineCode(folder)}: there is no ${inlineCode(script)} in ${joinWords(places)} (failed ${hits.length} of ${fired.length}).`,
    signature: last.event.signature,
    matcher,
    scope: { kind: "workspace", workspace },
    origin: "tool",
    level: softerLevel(proposedLevel(tally, distil), "nudge"),
    confidence: Number(lower.toFixed(4)),
    evidence: {
      ...(await makeCallEvidence(
        db,
        failures.map((one) => one.event),
      )),
      signatures: [...new Set(failures.flatMap((one) => one.event.signature ?? []))],
      remedy: {
        origin: "correction",
        forms: [...new Set(failures.map((one) => formOf(one.step.traits)))].slice(0, MOST_FORMS),
      },
    },
    calls: new Set(failures.map((one) => callKey(one.event))),
    backtest: {
      opportunities: calls.length,
      fired: fired.length,
      hits: tally.hits,
      falseAlarms: tally.falseAlarms,
      precision: fired.length === 0 ? 0 : hits.length / fired.length,
      lower,
    },
  };
}

const MOST_FORMS = 8;

/** Every call of the script that neither is in the folder nor enters it. */
function buildMatcher(
  { step, script }: ScriptCall,
  { workspace, folder }: { readonly workspace: string; readonly folder: string },
): Matcher {
  const base = lastPathName(script);
  const words = step.head?.split(" ") ?? [];
  const at = words.indexOf(base);
  const named = at >= 0 ? [anySubcommand] : [];
  const given = [...step.traits].filter((trait) => trait === `arg ${script}` || trait === `program ${script}`);
  const enters = [folder, `./${folder}`, `../${folder}`, `${workspace}/${folder}`].map((one) => `enters ${one}`);
  return {
    tool: "shell",
    head: at >= 0 ? words.slice(0, at + 1).join(" ") : (step.head ?? ""),
    has: [...named, ...given].toSorted(),
    lacks: [...enters, `in ${folder}`, `program ${folder}/${script}`].toSorted(),
  };
}

function countSessions(calls: readonly ScriptCall[]): number {
  return new Set(calls.map(({ event }) => `${event.host} ${event.session}`)).size;
}
