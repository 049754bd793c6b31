import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../../src/context.ts";
import { distil } from "../../src/distil/mining/distil.ts";
import { isSpeaking } from "../../src/domain/rule/rule.ts";
import { advise } from "../../src/attend/advise.ts";
import { fixedClock, MINUTE } from "../../src/lib/clock.ts";
import { openContext } from "../../src/mind.ts";
import type { ContextLimits } from "../../src/observe/protocol/host.ts";
import { importStore } from "../../src/observe/imports/import-store.ts";
import type { HookEvent } from "../../src/observe/protocol/hook-event.ts";
import type { OtherStore, StoreItem } from "../../src/observe/stores/other-store.ts";
import { takesAll } from "../call-control.ts";
import { adviseBeforeCall } from "../../src/recall/calls/before-call.ts";
import { syncIdentityFiles } from "../../src/recall/identity/identity-files.ts";
import { composeIdentity, loadIdentity } from "../../src/recall/identity/identity.ts";
import { syncMemoryFiles } from "../../src/recall/identity/memory-files.ts";
import { proposeIdentity } from "../../src/record/identity-proposals.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { listMemories } from "../../src/store/nouns/memories.ts";
import { remember } from "../../src/store/journal/remember.ts";
import { listRules, ruleNoun } from "../../src/store/nouns/rules.ts";
import { aMistake, aRule, byOwner, put } from "../store/samples.ts";
import { outsideQuotes, REPEATED, sessionWith, traces } from "./planted.ts";
import { identityNoun } from "../../src/store/nouns/identities.ts";
import { mistakeNoun } from "../../src/store/nouns/ledger.ts";
import { unnamedAgent } from "../../src/domain/actor.ts";

const NOW = Date.UTC(2026, 10, 16, 9, 30);

/** Where planted texts were found although they must not be, and how many were shown as quoted data. */
export interface Aftermath {
  readonly rules: readonly string[];
  readonly memories: readonly string[];
  readonly identity: readonly string[];
  readonly ownWords: readonly string[];
  /** Proposals for the identity that were not refused. */
  readonly proposed: number;
  readonly quoted: number;
}

/** Plants every text in every place of a mind, then mines and composes all advice. */
export async function aftermathOf(texts: readonly string[]): Promise<Aftermath> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-planted-"));
  const clock = fixedClock(NOW);
  const mind = await openContext({ home, clock });
  try {
    await put(mind.db, identityNoun, { id: "SOUL.md", text: "Name: Ada\n" });
    const shownLists: (readonly string[])[] = [];
    let proposed = 0;
    for (const [at, text] of texts.entries()) {
      // So that sessions in other workspaces are too old to be reported.
      clock.advance(10 * MINUTE);
      proposed += await plant(mind, text, at);
      shownLists.push(await everyMoment(mind, text, at));
    }
    await digest(mind.db);
    await distil(mind, { write: true });
    await syncIdentityFiles(mind);
    await syncMemoryFiles(mind);
    // All rules that are shown, except those planted to be shown.
    const rules = (await listRules(mind.db)).filter((rule) => isSpeaking(rule) && !rule.id.startsWith(FALLEN));
    const trusted = (await listMemories(mind.db, { limit: 100_000 })).filter(
      (memory) => memory.trust === "owner" || memory.trust === "agent",
    );
    const identity = composeIdentity(await loadIdentity(mind), 1_000_000);
    if (!identity.includes("Name: Ada")) throw new Error("the identity was not read");
    const sees = texts.map((text) => {
      const marks = traces(text);
      return (said: string) => marks.some((mark) => said.includes(mark));
    });
    const isPlanted = (said: string) => sees.some((isIn) => isIn(said));
    return {
      rules: rules.map((rule) => rule.text).filter(isPlanted),
      memories: trusted.map((memory) => memory.text).filter(isPlanted),
      identity: texts.filter((_, at) => sees[at]?.(identity)),
      ownWords: shownLists.flatMap((said, at) => said.map(outsideQuotes).filter((own) => sees[at]?.(own))),
      proposed,
      quoted: shownLists.filter((said, at) => said.some((one) => sees[at]?.(one))).length,
    };
  } finally {
    await mind.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Plants the text in every place, in a separate workspace: events, memories and rules of other products, the ledger, a
 * proposal for the identity.
 */
async function plant(mind: Context, text: string, at: number): Promise<number> {
  const workspace = workspaceOf(at);
  for (const [index, ago] of [3, 2, 1].entries())
    await appendEvents(
      mind.db,
      sessionWith(text, { session: `p${at}-${index}`, workspace, at: mind.clock.now() - ago * MINUTE }),
    );
  const evidence = { observations: 9, sessions: 9, first: 1, last: 2, refs: [] };
  const things: StoreItem[] = [
    {
      kind: "memory",
      memory: { key: `k${at}`, text, kind: "fact", category: null, confidence: 1, tags: [] },
      workspace,
      at: 1,
    },
    { kind: "rule", rule: { name: `n${at}`, text, status: "approved", confidence: 1, evidence }, workspace, at: 1 },
  ];
  await importStore(mind, { store: elsewhere(things), path: "" });
  // Approved once at its file's level and then broken too often: it lost the approval, but not the level.
  const fallen = aRule(`${FALLEN}${at}`, {
    ...{ text, origin: "external", status: "candidate", level: "deny" },
    scope: { kind: "workspace", workspace },
    matcher: { tool: "shell", command: REPEATED },
  });
  await put(mind.db, ruleNoun, fallen, { actor: { kind: "import" } });
  const newMemory = {
    text,
    kind: "profile",
    pinned: true,
    scope: { kind: "global" },
    origin: "tool",
    anyway: true,
  } as const;
  await remember(mind.db, newMemory, { ...byOwner(1), actor: { kind: "import" }, policy: mind.config.policy.memory });
  const mistake = aMistake(`mk_${at}`, {
    what: text,
    why: text,
    shouldHave: text,
    signal: text,
    pattern: text,
    origin: "external",
    workspace,
  });
  await put(mind.db, mistakeNoun, mistake, { actor: { kind: "import" } });
  let proposed = 0;
  for (const origin of ["tool", "external"] as const) {
    const proposal = await proposeIdentity(
      { ...mind, actor: unnamedAgent },
      { file: "SOUL.md", next: (soul) => `${soul}- ${text}\n`, reason: "so", origin },
    );
    if (proposal.status !== "refused") proposed++;
  }
  return proposed;
}

const FALLEN = "r_fallen";

function workspaceOf(at: number): string {
  return `/home/me/w${at}`;
}

function elsewhere(things: readonly StoreItem[]): OtherStore {
  return {
    name: "elsewhere",
    title: "Elsewhere",
    defaultPaths: () => [],
    isAt: () => true,
    files: () => [],
    read: () => things,
  };
}

/** All advice for a session in the workspace of the planted text, with a prompt of the same words. */
async function everyMoment(mind: Context, text: string, at: number): Promise<readonly string[]> {
  const workspace = workspaceOf(at);
  const common = { host: "claude-code", session: `v${at}`, cwd: workspace, model: null, agent: null, transcript: null };
  const [, , error] = sessionWith(text, { session: `v${at}`, workspace, at: mind.clock.now() });
  if (error === undefined) throw new Error("no failing call");
  await appendEvents(mind.db, [error]);
  const call = {
    tool: "Bash",
    input: error.input,
    callId: null,
    ok: false,
    text: error.error,
    exitCode: 1,
    durationMs: null,
  };
  const seen: readonly HookEvent[] = [
    { ...common, moment: "session-start", source: "startup" },
    { ...common, session: `u${at}`, moment: "prompt", prompt: text, promptId: null },
    { ...common, moment: "after-call", ...call },
    { ...common, moment: "stop", again: false },
  ];
  const pending = { host: "claude-code", session: `v${at}`, workspace, cwd: workspace, tool: "Bash", agent: null };
  const before = await adviseBeforeCall(
    mind,
    { ...pending, input: { command: REPEATED } },
    { takes: "both", control: takesAll },
  );
  const said: string[] = [before?.context ?? "", before?.decision?.reason ?? ""];
  for (const one of seen)
    said.push(
      await advise(mind, one, {
        host: "claude-code",
        workspace,
        contextLimits: all,
        call: one.moment === "after-call" ? error : null,
      }),
    );
  return said;
}

const all: ContextLimits = { "session-start": 10_000, prompt: 10_000, "after-call": 10_000, stop: 10_000 };
