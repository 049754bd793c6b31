import type { Context } from "../context.ts";
import { isOwner } from "../domain/actor.ts";
import type { Change } from "../domain/journal.ts";
import type { LedgerEntry, Expectation, Mistake, PatternCount, Win } from "../domain/ledger/ledger.ts";
import { suggestPatterns, patternKey, patternName } from "../domain/ledger/pattern.ts";
import { goodSignal, judgeSignal } from "../domain/ledger/signal.ts";
import { originOf } from "../domain/trust/trust.ts";
import { OldhandError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { makeProvenance, applyChange } from "../store/journal/journal.ts";
import { mistakeNoun, readPatternCounts, winNoun } from "../store/nouns/ledger.ts";
import type { Noun } from "../store/nouns/noun.ts";

type LedgerContext = Pick<Context, "db" | "clock" | "actor">;

export interface NewLedgerEntry {
  /** If it is known before: an entry is written once under each id. */
  readonly id?: string | undefined;
  readonly what: string;
  readonly why: string;
  readonly pattern?: string | undefined;
  readonly prediction?: string | undefined;
  readonly outcome?: string | undefined;
  readonly surprise?: number | undefined;
  readonly session?: string | undefined;
  readonly workspace?: string | undefined;
}

export interface RecordedEntry<T extends LedgerEntry> {
  readonly entry: T;
  readonly change: Change<T>;
  /** All entries of its pattern, including this one. */
  readonly count: PatternCount;
  /** Existing patterns with a similar name, if the name is new. */
  readonly near: readonly string[];
}

interface NewMistake extends Omit<NewLedgerEntry, "why">, Pick<Mistake, "severity"> {
  readonly why?: string | undefined;
  readonly shouldHave?: string | undefined;
  readonly signal?: string | undefined;
}

/** Records a mistake. Refuses a signal that is only a slogan; nothing is stored then. Missing texts become empty. */
export async function recordMistake(ctx: LedgerContext, given: NewMistake): Promise<RecordedEntry<Mistake>> {
  const { severity, shouldHave = "", signal = "" } = given;
  const unnamed = given.pattern === undefined && isOwner(ctx.actor);
  const entry = { ...given, why: given.why ?? "", pattern: unnamed ? makePatternName(given.what) : given.pattern };
  const filed = await filePattern(ctx, entry, `${entry.what} ${entry.why} ${shouldHave} ${signal}`);
  const verdict = signal === "" ? null : judgeSignal({ signal, pattern: filed.pattern, shouldHave });
  if (verdict?.kind === "slogan") {
    throw new OldhandError("refused", `this is not a signal: ${verdict.why}`, { hint: goodSignal });
  }
  return writeEntry(
    ctx,
    mistakeNoun,
    { ...makeEntry(ctx, "mk", entry, filed.pattern), shouldHave, severity, signal },
    filed,
  );
}

/** Equal texts give the same pattern. */
function makePatternName(what: string): string {
  return patternName(what).split("-").slice(0, 4).join("-");
}

export async function recordWin(ctx: LedgerContext, entry: NewLedgerEntry): Promise<RecordedEntry<Win>> {
  const filed = await filePattern(ctx, entry, `${entry.what} ${entry.why}`);
  return writeEntry(ctx, winNoun, makeEntry(ctx, "wn", entry, filed.pattern), filed);
}

interface FiledPattern {
  readonly pattern: string;
  readonly near: readonly string[];
}

/** Uses an existing pattern's spelling. A new name returns similar patterns; a missing one throws with suggestions. */
async function filePattern({ db }: LedgerContext, entry: NewLedgerEntry, text: string): Promise<FiledPattern> {
  const known = await readPatternCounts(db);
  const names = known.map((one) => one.pattern);
  const pattern = patternName(entry.pattern ?? "");
  if (!/\p{L}/u.test(pattern)) {
    const likely = suggestPatterns(names, "", text);
    const recent = names.filter((name) => !likely.includes(name)).slice(-10);
    throw new OldhandError("usage", "pattern is missing: the name that such mistakes are counted under", {
      hint: names.length === 0 ? "such as not-verifying" : `existing patterns: ${[...likely, ...recent].join(", ")}`,
    });
  }
  const same = known.find((one) => one.key === patternKey(pattern));
  return same ? { pattern: same.pattern, near: [] } : { pattern, near: suggestPatterns(names, pattern, "") };
}

function makeEntry(
  { clock, actor }: LedgerContext,
  prefix: string,
  given: NewLedgerEntry,
  pattern: string,
): LedgerEntry {
  const at = clock.now();
  return {
    id: given.id ?? newId(prefix, at),
    at,
    what: given.what,
    why: given.why,
    pattern,
    expectation: toExpectation(given),
    origin: originOf(actor),
    session: given.session ?? null,
    workspace: given.workspace ?? null,
  };
}

/** All three or none: a prediction without its outcome compares nothing. */
function toExpectation({ prediction, outcome, surprise }: NewLedgerEntry): Expectation | null {
  if (prediction === undefined && outcome === undefined && surprise === undefined) return null;
  if (prediction === undefined || outcome === undefined || surprise === undefined) {
    throw new OldhandError("usage", "prediction, outcome and surprise must be given together", {
      hint: "prediction: what you expected; outcome: what happened; surprise: 0 (as expected) to 1",
    });
  }
  return { prediction, outcome, surprise };
}

async function writeEntry<T extends LedgerEntry>(
  ctx: LedgerContext,
  noun: Noun<T>,
  entry: T,
  filed: FiledPattern,
): Promise<RecordedEntry<T>> {
  const { id } = entry;
  const made = await applyChange(
    ctx.db,
    { noun, id },
    { ...makeProvenance(ctx, noun.name), at: entry.at },
    () => entry,
  );
  if (made?.after == null) throw new Error(`the ${noun.name} ${id} was not written`);
  const stored = made.after;
  const count = (await readPatternCounts(ctx.db)).find((one) => one.key === patternKey(stored.pattern));
  if (!count) throw new Error(`the ${noun.name} ${id} is under no pattern`);
  return { entry: stored, change: made, count, near: filed.near };
}
