import { basename, join } from "node:path";
import type { Context } from "../context.ts";
import { type Fact, factId } from "../domain/fact/fact.ts";
import { parseScriptSubject } from "../domain/fact/scripts.ts";
import { locateScriptSubject } from "./calls/script-home.ts";
import { quoteFact } from "../domain/fact/fact-message.ts";
import type { ActiveRule } from "../domain/rule/rule.ts";
import { listFacts } from "../store/derived/facts.ts";
import type { Part } from "./compose-message.ts";
import { describeHere, filterHoldingFacts, isInFactControlGroup } from "./calls/facts-before-call.ts";
import type { Recipient } from "./message-parts.ts";
import { dropDismissedFacts } from "./calls/dismissed-content.ts";
import { listFactsStatedBy } from "./calls/outdated-rules.ts";

/** A fact from one session only may be that session's mistake. */
export const LEAST_SESSIONS = 2;
const MOST = 3;
/** At most this many are checked on the disk. */
const MOST_LOOKS = 12;

/** Facts that the session is likely to meet, because earlier ones did; without those that its rules already say. */
export async function listFactParts(
  ctx: Pick<Context, "db" | "clock" | "config">,
  { workspace, session, cwd = null }: Pick<Recipient, "workspace" | "session" | "cwd">,
  rules: readonly ActiveRule[],
): Promise<readonly Part[]> {
  const { recall, distil } = ctx.config.policy;
  if (workspace === null || !recall.sayFacts || isInFactControlGroup(session, distil)) return [];
  const seen = (await listFacts(ctx.db, workspace)).filter(
    (fact) => fact.sessions >= LEAST_SESSIONS && !isOfOtherManifest(fact, cwd ?? workspace),
  );
  const met = await dropDismissedFacts(ctx.db, seen, workspace);
  if (met.length === 0) return [];
  const stated = await listFactsStatedBy(ctx.db, rules, workspace);
  const fresh = met.filter((fact) => !stated.has(factId(fact)));
  const often = fresh.toSorted((a, b) => b.sessions - a.sessions || b.at - a.at).slice(0, MOST_LOOKS);
  const holding = await filterHoldingFacts(ctx, often);
  const said = await describeHere(ctx, holding, cwd);
  return said.slice(0, MOST).map((fact) => ({ kind: "fact", subject: factId(fact), says: quoteFact(fact, cwd) }));
}

/** A session in `web` takes `package.json` for its own: a script that another folder lacks says nothing to it. */
function isOfOtherManifest({ kind, subject, workspace }: Fact, cwd: string): boolean {
  if (kind !== "unknown-script" || cwd === workspace) return false;
  const { manifest, script, of } = parseScriptSubject(subject);
  const own = `${join(cwd, basename(manifest))}#${script}`;
  return of === null && locateScriptSubject(subject, workspace) !== locateScriptSubject(own, workspace);
}
