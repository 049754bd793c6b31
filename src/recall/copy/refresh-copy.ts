import type { Context } from "../../context.ts";
import { mayBeWithheld } from "../../domain/rule/delivery/holdout.ts";
import { consumeOverride } from "../../domain/rule/override.ts";
import { USE_OF_OVERRIDE } from "../../domain/rule/by-law.ts";
import { isGuard } from "../../domain/rule/rule.ts";
import { DAY, MINUTE, systemClock } from "../../lib/clock.ts";
import { overrideNoun } from "../../store/nouns/overrides.ts";
import { type ActiveListing, listActiveRulesAndFactNames } from "../../store/nouns/rules.ts";
import { readHoldoutStates } from "../../store/shown/rule-sessions.ts";
import { listSayableRules } from "../calls/sayable-rules.ts";
import {
  type CopiedRule,
  listCopiedWorkspaces,
  listUsedOverrides,
  readRuleCopy,
  type ReadCopy,
  writeRuleCopy,
} from "./rule-copy.ts";

type CopyContext = Pick<Context, "db" | "clock" | "config">;

/**
 * Writes the copies of a workspace and of what applies everywhere, if they are not those of the server's last change, or not
 * of the last minutes: what else decides about a rule is not journalled. `listing` is what was read there, if anything.
 */
export async function refreshRuleCopy(
  ctx: CopyContext,
  workspace: string | null,
  listing?: ActiveListing,
): Promise<void> {
  const { ahead, rules } = listing ?? (await listActiveRulesAndFactNames(ctx.db, workspace));
  if (ahead === null || ctx.config.policy.store.copyDays === 0) return;
  const stale = [...new Set([workspace, null])].filter(
    (one) => !isCurrent(readRuleCopy(ctx.config, one), ahead.journal),
  );
  if (stale.length === 0) return;
  const { overrides } = ahead;
  for (const one of stale) {
    const inPlay = one === null ? rules.filter(({ scope }) => scope.kind === "global") : rules;
    const guards = await listSayableRules(ctx, { workspace: one, session: null, inPlay }, isGuard);
    const copied = await markTrials(ctx, guards);
    const at = systemClock.now();
    writeRuleCopy(ctx.config, { workspace: one, at, journal: ahead.journal, rules: copied, overrides });
  }
}

/** All copies of this machine: for a process that has time, such as a command that changed a rule. */
export async function refreshKnownCopies(ctx: CopyContext): Promise<void> {
  const { copyDays } = ctx.config.policy.store;
  if (ctx.db.machine === undefined || copyDays === 0) return;
  await tellUsedOverrides(ctx);
  const everywhere = await listActiveRulesAndFactNames(ctx.db, null);
  await refreshRuleCopy(ctx, null, everywhere);
  for (const workspace of listCopiedWorkspaces(ctx.config, systemClock.now() - copyDays * DAY))
    if (!isCurrent(readRuleCopy(ctx.config, workspace), everywhere.ahead?.journal ?? 0))
      await refreshRuleCopy(ctx, workspace);
}

const REFRESH_MS = 10 * MINUTE;

function isCurrent(read: ReadCopy, journal: number): boolean {
  return (
    read.kind === "copy" && read.copy.journal === journal && Math.abs(systemClock.now() - read.copy.at) < REFRESH_MS
  );
}

async function markTrials(
  { db, config }: CopyContext,
  rules: readonly Omit<CopiedRule, "onTrial">[],
): Promise<readonly CopiedRule[]> {
  const isAsked = rules.some((rule) => mayBeWithheld(rule, config.policy.distil));
  const marks = isAsked ? await readHoldoutStates(db) : null;
  return rules.map((rule) => ({ ...rule, onTrial: marks?.get(rule.id)?.heldSince != null }));
}

/** Tells the server of overrides that calls used while it was away: otherwise another call could use them again. */
export async function tellUsedOverrides({ db, config }: Pick<CopyContext, "db" | "config">): Promise<void> {
  for (const { id, use, forget } of listUsedOverrides(config)) {
    // Loaded only now, because the journal loads redaction.
    const { makeProvenance, applyChange } = await import("../../store/journal/journal.ts");
    const note = `${use.host} ${use.session}`;
    const because = makeProvenance({ actor: { kind: "hook" }, clock: systemClock }, USE_OF_OVERRIDE, note);
    await applyChange(db, { noun: overrideNoun, id }, because, (override) => consumeOverride(override, use));
    forget();
  }
}
