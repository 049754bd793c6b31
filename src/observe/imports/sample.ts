import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { isLearnedOnlyFrom } from "../../domain/rule/lifecycle/purged-evidence.ts";
import { ensureHome } from "../../lib/ensure-home.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { digest } from "../../store/derived/digest.ts";
import { listSessionEvents } from "../../store/events/events.ts";
import { makeProvenance, applyChange } from "../../store/journal/journal.ts";
import { purgeEvents } from "../../store/removal/purge.ts";
import type { SessionKey } from "../../store/events/around-session.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";

/** Made-up sessions, for users without any. */
export const sampleFile = (): string => join(packageRoot(), "samples", "sessions.jsonl");

/** The sample has a separate home below the real one, and is always one SQLite file there. */
export function locateSampleHome(home: string): { readonly home: string; readonly database: string } {
  const own = isSampleHome(home) ? home : join(home, "sample");
  return { home: own, database: join(own, "mind.db") };
}

const NOTE = "sample.txt";

export function isSampleHome(home: string): boolean {
  return existsSync(join(home, NOTE));
}

/** The note marks the folder as the sample, for programs and people. */
export function makeSampleHome(home: string): void {
  ensureHome(home);
  writeFileSync(
    join(home, NOTE),
    "This mind holds a made-up sample, and no real events. Delete this folder to remove it.\n",
    { mode: 0o600 },
  );
}

/** Throws for the sample's home: real events must not be stored there. */
export function refuseSampleHome(home: string): void {
  if (isSampleHome(home))
    throw new OldhandError("refused", `${home} holds the made-up sample, which is not mixed with real events`, {
      hint: "use your own mind: omit --home and OLDHAND_HOME",
    });
}

export interface SampleRemoval {
  readonly sessions: number;
  /** Rules that were learned only from the sample. */
  readonly rules: number;
}

/**
 * Earlier versions imported the sample into the real mind. Removes it, and the rules that were learned only from it;
 * each rule leaves a journal entry. They are not forgotten, because real sessions may teach the same.
 */
export async function removeSample(ctx: Pick<Context, "db" | "actor" | "clock">): Promise<SampleRemoval> {
  const sessions: SessionKey[] = [];
  for (const one of listSampleSessions()) {
    const [first] = await listSessionEvents(ctx.db, one, { after: -1, limit: 1 });
    // A real session may have the same id.
    if (first?.model === "sample") sessions.push(one);
  }
  if (sessions.length === 0) return { sessions: 0, rules: 0 };
  await digest(ctx.db);
  const because = makeProvenance(ctx, "start", "the made-up sample moved to a separate mind");
  const isOfSample = (ref: { readonly host: string; readonly session: string }) =>
    sessions.some((one) => one.host === ref.host && one.id === ref.session);
  const rules = (await listRules(ctx.db)).filter((rule) => isLearnedOnlyFrom(rule, isOfSample));
  for (const { id } of rules) await applyChange(ctx.db, { noun: ruleNoun, id }, because, () => null);
  for (const session of sessions) await purgeEvents(ctx.db, { session }, because);
  return { sessions: sessions.length, rules: rules.length };
}

/** Read from the sample's file. */
function listSampleSessions(): readonly SessionKey[] {
  const sessions = new Map<string, SessionKey>();
  for (const line of readFileSync(sampleFile(), "utf8").split("\n")) {
    const call = tryParseJson(line);
    if (isRecord(call))
      sessions.set(String(call["session"]), { host: String(call["agent"]), id: String(call["session"]) });
  }
  return [...sessions.values()];
}
