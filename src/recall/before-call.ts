import { usedBy } from "../domain/rule/override.ts";
import type { Policy } from "../domain/policy.ts";
import { harder, type RuleInPlay } from "../domain/rule/rule.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "../store/engine/db.ts";
import { openOverrides, overrideNoun } from "../store/overrides.ts";
import { rulesInPlay } from "../store/rules.ts";
import { recordShown, rulesShownTo } from "../store/shown.ts";
import { notHeldOut } from "./held-out.ts";

export interface Proposal {
  readonly host: string;
  readonly session: string;
  readonly workspace: string | null;
  readonly cwd: string | null;
  readonly tool: string;
  readonly input: unknown;
  /** The sub-agent that would make it. */
  readonly agent: string | null;
}

export interface Advice {
  /** To be read by the model; null where everything was said already. */
  readonly context: string | null;
  /** To be obeyed by the host. */
  readonly decision: { readonly kind: "ask" | "deny"; readonly reason: string } | null;
}

/** What the host can do with an answer at this moment. */
export type Takes = "decision" | "context" | "both";

/** The rules that warn against a call about to be made, hardest first. */
export async function rulesAgainst(db: Db, proposal: Proposal): Promise<readonly RuleInPlay[]> {
  const rules = (await rulesInPlay(db, proposal.workspace)).filter((rule) => rule.matcher !== null);
  if (rules.length === 0) return [];
  // Loaded only where there are rules: a shell parser is a lot for a hook that has nothing to say.
  const { matchesCall } = await import("./proposed-call.ts");
  const matching = matchesCall(db, proposal);
  const found: RuleInPlay[] = [];
  for (const rule of rules) if (rule.matcher !== null && (await matching(rule.matcher))) found.push(rule);
  return found.toSorted((a, b) => harder(a.level, b.level) || b.salience - a.salience || (a.id < b.id ? -1 : 1));
}

interface World {
  readonly db: Db;
  readonly clock: Clock;
  readonly policy: Policy;
}

/** What to say, and to decide, before the call. A rule is said once a session, as twice is noise; a decision holds each time. */
export async function adviceBeforeCall(world: World, proposal: Proposal, takes: Takes): Promise<Advice | null> {
  const { db } = world;
  const rules = await notHeldOut({ db, law: world.policy.distil }, await rulesAgainst(db, proposal), proposal.session);
  if (rules.length === 0) return null;
  const { decision, rest } =
    takes === "context" ? { decision: null, rest: rules } : await decide(world, rules, proposal);
  const shown = await rulesShownTo(db, proposal.host, proposal.session);
  const said = takes === "decision" ? [] : rest.filter((rule) => !shown.has(rule.id));
  const told = decision === null ? said : rest.filter((rule) => said.includes(rule) || rule.level === decision.kind);
  const at = world.clock.now();
  for (const rule of told) {
    const { host, session } = proposal;
    const tokens = Math.ceil(rule.text.length / 4);
    await recordShown(db, { at, host, session, rule: rule.id, moment: "before-call", level: rule.level, tokens });
  }
  if (told.length === 0) return null;
  return { context: said.length === 0 ? null : (await Promise.all(said.map(sentence))).join("\n"), decision };
}

/** The hardest rule decides; softer ones only speak. One that the owner lets pass this once is passed, and that is written down. */
async function decide(
  world: World,
  rules: readonly RuleInPlay[],
  proposal: Proposal,
): Promise<{ readonly decision: Advice["decision"]; readonly rest: readonly RuleInPlay[] }> {
  for (const [at, rule] of rules.entries()) {
    if (rule.level !== "deny" && rule.level !== "ask") return { decision: null, rest: rules.slice(at) };
    if (!(await passes(world, rule, proposal)))
      return { decision: { kind: rule.level, reason: await sentence(rule) }, rest: rules.slice(at) };
  }
  return { decision: null, rest: [] };
}

/** Whether the owner lets this call pass. Of two calls that come at once, one override lets one pass. */
async function passes({ db, clock }: World, rule: RuleInPlay, { host, session }: Proposal): Promise<boolean> {
  for (const { id } of await openOverrides(db, rule.id)) {
    // Loaded only now: the journal brings redaction with it.
    const { by, change } = await import("../store/journal.ts");
    const because = by({ actor: { kind: "hook" }, clock }, "before-call", `${host} ${session}`);
    const used = { at: because.at, host, session };
    const made = await change(db, { noun: overrideNoun, id }, because, (override) => usedBy(override, used));
    if (made !== null) return true;
  }
  return false;
}

async function sentence(rule: RuleInPlay): Promise<string> {
  // Loaded only where something is said.
  const { spokenText } = await import("../domain/rule/spoken-text.ts");
  return `oldhand, rule ${rule.id}: ${spokenText(rule)}`;
}
