import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { attend } from "../src/attend/attend.ts";
import { owner } from "../src/domain/actor.ts";
import { OldhandError } from "../src/lib/errors.ts";
import { packageRoot } from "../src/lib/package-root.ts";
import { openContext, type OpenMind } from "../src/mind.ts";
import { claudeCodeProtocol } from "../src/observe/hosts/claude-code/protocol.ts";
import { weighMemories } from "../src/recall/memory/fitting-memories.ts";
import { embedRecent } from "../src/search/embed-recent.ts";
import { remember } from "../src/store/journal/remember.ts";
import { roundTo } from "./floor.ts";
import {
  type RecallFigures,
  computeRecallFigures,
  isRecallTargetMet,
  leaveOneOut,
  type Prompt,
  type PromptResult,
  type UnrelatedFigures,
  computeUnrelatedFigures,
  formatMemoryReport,
  type RecallMode,
  recallModes,
} from "./memory-figures.ts";

interface Workspace {
  readonly workspace: string;
  readonly facts: readonly { readonly id: string; readonly text: string }[];
  readonly history: readonly string[];
  readonly prompts: readonly Prompt[];
}

export interface MemoryReport {
  readonly embedder: string | null;
  /** Each workspace with a threshold chosen on the other four. */
  readonly outOfFold: Readonly<Record<RecallMode, RecallFigures>>;
  /** The actual product: with the threshold chosen on all five. */
  readonly shipped: Readonly<Record<RecallMode, RecallFigures>>;
  /** Results for unrelated prompts from a file; null without `--prompts`. */
  readonly strangers: Readonly<Record<RecallMode, UnrelatedFigures>> | null;
  readonly rows: Readonly<Record<RecallMode, readonly PromptResult[]>>;
  readonly met: boolean;
  readonly text: string;
}

/**
 * Measures whether a prompt gets the memory it needs, and whether one that needs none gets none. Each prompt is a
 * separate session, sent like a host sends it, to a mind with the memories and earlier prompts of all workspaces.
 */
export async function benchMemory({
  data = join(packageRoot(), "bench", "memory-recall"),
  history = true,
  prompts,
  say,
}: {
  readonly data?: string | undefined;
  /** False: no earlier prompts. */
  readonly history?: boolean;
  /** A file of unrelated prompts: JSON lines with a `text`. */
  readonly prompts?: string | undefined;
  readonly say: (line: string) => void;
}): Promise<MemoryReport> {
  const read = readdirSync(data)
    .filter((name) => name.endsWith(".json"))
    .map((name): Workspace => JSON.parse(readFileSync(join(data, name), "utf8")));
  if (!read.some((one) => Array.isArray(one.prompts)))
    throw new OldhandError("input", `there are no memories and prompts in ${data}`, {
      hint: "--data names a folder with a JSON file for each workspace, as in bench/memory-recall; leave it out to use that",
    });
  const workspaces = history ? read : read.map((one) => ({ ...one, history: [] }));
  const foreign = prompts === undefined ? null : replacePrompts(workspaces, readTexts(prompts));
  const embedders: (string | null)[] = [];
  const askBoth = async (queried: readonly Workspace[]): Promise<Record<RecallMode, readonly PromptResult[]>> => {
    const living = await withMind(async (mind, dir) => {
      embedders.push((await mind.models.embedder())?.model ?? null);
      say(`living: asking ${queried.reduce((sum, one) => sum + one.prompts.length, 0)} prompts`);
      return runPrompts(mind, { workspaces: queried, dir });
    });
    const hook = await withMind(async (mind, dir) => {
      say("hook: asking the same");
      return runPrompts({ ...mind, models: { embedder: async () => null } }, { workspaces: queried, dir });
    });
    return { living, hook };
  };
  const rows = await askBoth(workspaces);
  const strange = foreign === null ? null : await askBoth(foreign);
  const outOfFold = {
    living: computeRecallFigures(leaveOneOut(rows.living)),
    hook: computeRecallFigures(leaveOneOut(rows.hook)),
  };
  const shipped = { living: computeRecallFigures(rows.living), hook: computeRecallFigures(rows.hook) };
  const strangers = strange && {
    living: computeUnrelatedFigures(strange.living),
    hook: computeUnrelatedFigures(strange.hook),
  };
  return {
    embedder: embedders[0] ?? null,
    outOfFold,
    shipped,
    strangers,
    rows,
    met: recallModes.every((way) => isRecallTargetMet(way, outOfFold[way]) && shipped[way].across === 0),
    text: formatMemoryReport({ outOfFold, shipped, strangers }),
  };
}

async function withMind<T>(work: (mind: OpenMind, dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  const mind = await openContext({ home: join(dir, "home"), env: {} });
  try {
    return await work(mind, dir);
  } finally {
    await mind.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A sample spread over the whole file; more prompts would take longer than a few minutes. */
const MOST_FOREIGN = 400;

function readTexts(file: string): readonly string[] {
  const bytes = readFileSync(file);
  const lines = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").trim().split("\n");
  const texts = lines.map((line) => String((JSON.parse(line) as { readonly text?: unknown }).text ?? ""));
  const step = Math.max(1, texts.length / MOST_FOREIGN);
  return texts.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** Replaces each workspace's prompts with its share of these; the memories stay. */
function replacePrompts(workspaces: readonly Workspace[], texts: readonly string[]): readonly Workspace[] {
  return workspaces.map((one, at) => ({
    ...one,
    history: [],
    prompts: texts
      .filter((_, n) => n % workspaces.length === at)
      .map((text): Prompt => ({ text, needs: [], shares: "nothing" })),
  }));
}

async function runPrompts(
  mind: OpenMind,
  { workspaces, dir }: { readonly workspaces: readonly Workspace[]; readonly dir: string },
): Promise<readonly PromptResult[]> {
  const sendPrompt = async (workspace: string, session: string, prompt: string) => {
    const cwd = join(dir, workspace);
    const event = { host: "claude-code", session, cwd, model: null, agent: null, transcript: null } as const;
    await attend(mind, {
      host: "claude-code",
      protocol: claudeCodeProtocol,
      workspace: cwd,
      events: [{ ...event, moment: "prompt", prompt, promptId: null }],
    });
    // Embeds as a long-running process does between two prompts.
    await embedRecent(mind, () => mind.models.embedder(), new AbortController().signal);
  };
  for (const { workspace, history } of workspaces)
    for (const [at, prompt] of history.entries()) await sendPrompt(workspace, `${workspace} before ${at}`, prompt);
  for (const { workspace, facts } of workspaces)
    for (const { id, text } of facts) await storeMemory(mind, { id, text, folder: join(dir, workspace) });
  await embedRecent(mind, () => mind.models.embedder(), new AbortController().signal);
  const rows: PromptResult[] = [];
  for (const { workspace, facts, prompts } of workspaces)
    for (const [at, prompt] of prompts.entries()) {
      const session = `${workspace} ${at}`;
      const weighed = await weighMemories(mind, { text: prompt.text, workspace: join(dir, workspace), session });
      await sendPrompt(workspace, session, prompt.text);
      const shown = await mind.db.all<{ subject: string }>(
        "select subject from shown where session = ? and kind = 'memory'",
        [session],
      );
      rows.push({
        ...prompt,
        workspace,
        own: facts.map(({ id }) => id),
        weighed: Object.fromEntries(weighed.map(({ memory, need }) => [memory.id, roundTo(need, 4)])),
        shown: shown.map((one) => one.subject),
      });
    }
  return rows;
}

async function storeMemory(
  { db, clock, config }: OpenMind,
  { id, text, folder }: { readonly id: string; readonly text: string; readonly folder: string },
): Promise<void> {
  const scope = { kind: "workspace", name: folder } as const;
  const cause = { kind: "operation", id: "bench", note: null } as const;
  const by = { actor: owner, cause, at: clock.now(), policy: config.policy.memory };
  await remember(db, { id, text, scope, origin: "owner", anyway: true }, by);
}
