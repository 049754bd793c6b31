import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attend } from "../src/attend/attend.ts";
import { owner } from "../src/domain/actor.ts";
import { packageRoot } from "../src/lib/package-root.ts";
import { openContext, type OpenMind } from "../src/mind.ts";
import { claudeCodeProtocol as protocol } from "../src/observe/hosts/claude-code/protocol.ts";
import { embedRecent } from "../src/search/embed-recent.ts";
import { remember } from "../src/store/remember.ts";
import { rounded } from "./floor.ts";

/** A process that lives has an embedder; a command hook goes by words. */
const ways = ["living", "hook"] as const;
type Way = (typeof ways)[number];

const TARGET = { living: 0.85, hook: 0.65, unneeded: 0.05 };

interface Prompt {
  readonly text: string;
  readonly needs: readonly string[];
  readonly shares: "word" | "identifier" | "meaning" | "nothing";
}

interface Workspace {
  readonly workspace: string;
  readonly split: "tune" | "report";
  readonly facts: readonly { readonly id: string; readonly text: string }[];
  readonly history: readonly string[];
  readonly prompts: readonly Prompt[];
}

interface Row extends Prompt {
  readonly workspace: string;
  readonly split: Workspace["split"];
  readonly shown: readonly string[];
}

interface Figures {
  /** Prompts that need a memory, and those of them that got all they need. */
  readonly needed: number;
  readonly shown: number;
  readonly share: number;
  readonly byWhatTheyShare: Readonly<Record<string, string>>;
  /** Memories that came beside the needed ones. */
  readonly beside: number;
  readonly unneeded: number;
  readonly unneededShown: number;
  readonly unneededShare: number;
  /** Memories of another workspace, to whatever prompt. */
  readonly across: number;
}

export interface MemoryReport {
  readonly embedder: string | null;
  /** On the workspaces that no number was chosen on. */
  readonly report: Readonly<Record<Way, Figures>>;
  /** On those where the numbers were chosen: in-sample. */
  readonly tune: Readonly<Record<Way, Figures>>;
  readonly rows: Readonly<Record<Way, readonly Row[]>>;
  readonly met: boolean;
  readonly text: string;
}

/**
 * Whether a prompt gets the memory that it needs, and one that needs none gets none: each prompt is a session of its own,
 * in a mind that holds the memories and earlier prompts of all workspaces, told as a host tells it.
 */
export async function benchMemory({
  data = join(packageRoot(), "bench", "memory-recall"),
  history = true,
  say,
}: {
  readonly data?: string | undefined;
  /** False: no prompt came before. */
  readonly history?: boolean;
  readonly say: (line: string) => void;
}): Promise<MemoryReport> {
  const workspaces = readdirSync(data)
    .filter((name) => name.endsWith(".json"))
    .map((name): Workspace => JSON.parse(readFileSync(join(data, name), "utf8")));
  const rows: Partial<Record<Way, readonly Row[]>> = {};
  let embedder: string | null = null;
  for (const way of ways) {
    const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
    const mind = await openContext({ home: join(dir, "home"), env: {} });
    try {
      embedder ??= (await mind.models.embedder())?.model ?? null;
      say(`${way}: asking ${workspaces.reduce((sum, one) => sum + one.prompts.length, 0)} prompts`);
      rows[way] = await askAll(way === "living" ? mind : { ...mind, models: { embedder: async () => null } }, {
        workspaces: history ? workspaces : workspaces.map((one) => ({ ...one, history: [] })),
        dir,
      });
    } finally {
      await mind.close();
      rmSync(dir, { recursive: true, force: true });
    }
  }
  const all = rows as Record<Way, readonly Row[]>;
  const of = (split: Workspace["split"]) => ({
    living: figuresOf(all.living.filter((row) => row.split === split)),
    hook: figuresOf(all.hook.filter((row) => row.split === split)),
  });
  const [report, tune] = [of("report"), of("tune")];
  return {
    embedder,
    report,
    tune,
    rows: all,
    met: ways.every(
      (way) =>
        report[way].share >= TARGET[way] &&
        report[way].unneededShare <= TARGET.unneeded &&
        report[way].across + tune[way].across === 0,
    ),
    text: textOf({ report, tune }),
  };
}

async function askAll(
  mind: OpenMind,
  { workspaces, dir }: { readonly workspaces: readonly Workspace[]; readonly dir: string },
): Promise<readonly Row[]> {
  const tell = async (workspace: string, session: string, prompt: string) => {
    const cwd = join(dir, workspace);
    const event = { host: "claude-code", session, cwd, model: null, agent: null, transcript: null } as const;
    await attend(mind, {
      host: "claude-code",
      protocol,
      workspace: cwd,
      events: [{ ...event, moment: "prompt", prompt, promptId: null }],
    });
    // What a process that lives does between two prompts.
    await embedRecent(mind, () => mind.models.embedder(), new AbortController().signal);
  };
  for (const { workspace, history } of workspaces)
    for (const [at, prompt] of history.entries()) await tell(workspace, `${workspace} before ${at}`, prompt);
  for (const { workspace, facts } of workspaces)
    for (const { id, text } of facts) await keep(mind, { id, text, folder: join(dir, workspace) });
  await embedRecent(mind, () => mind.models.embedder(), new AbortController().signal);
  const rows: Row[] = [];
  for (const { workspace, split, prompts } of workspaces)
    for (const [at, prompt] of prompts.entries()) {
      const session = `${workspace} ${at}`;
      await tell(workspace, session, prompt.text);
      const shown = await mind.db.all<{ subject: string }>(
        "select subject from shown where session = ? and kind = 'memory'",
        [session],
      );
      rows.push({ ...prompt, workspace, split, shown: shown.map((one) => one.subject) });
    }
  return rows;
}

async function keep(
  { db, clock, config }: OpenMind,
  { id, text, folder }: { readonly id: string; readonly text: string; readonly folder: string },
): Promise<void> {
  const scope = { kind: "workspace", name: folder } as const;
  const cause = { kind: "operation", id: "bench", note: null } as const;
  const by = { actor: owner, cause, at: clock.now(), law: config.policy.memory };
  await remember(db, { id, text, scope, origin: "owner", anyway: true }, by);
}

function figuresOf(rows: readonly Row[]): Figures {
  const needed = rows.filter((row) => row.needs.length > 0);
  const unneeded = rows.filter((row) => row.needs.length === 0);
  const isServed = (row: Row) => row.needs.every((id) => row.shown.includes(id));
  const kinds = [...new Set(needed.map((row) => row.shares))];
  const ofKind = (kind: string) => needed.filter((row) => row.shares === kind);
  const served = needed.filter(isServed).length;
  const disturbed = unneeded.filter((row) => row.shown.length > 0).length;
  return {
    needed: needed.length,
    shown: served,
    share: rounded(served / needed.length, 3),
    byWhatTheyShare: Object.fromEntries(
      kinds.map((kind) => [kind, `${ofKind(kind).filter(isServed).length} of ${ofKind(kind).length}`]),
    ),
    beside: needed.reduce((sum, row) => sum + row.shown.filter((id) => !row.needs.includes(id)).length, 0),
    unneeded: unneeded.length,
    unneededShown: disturbed,
    unneededShare: rounded(disturbed / unneeded.length, 3),
    across: rows.reduce(
      (sum, row) => sum + row.shown.filter((id) => !id.startsWith(row.workspace.slice(0, 2))).length,
      0,
    ),
  };
}

function textOf(figures: Pick<MemoryReport, "report" | "tune">): string {
  const line = (name: string, way: Way, one: Figures) =>
    `| ${name} | ${way === "living" ? "living process" : "command hook"} | ${one.shown} of ${one.needed} (${percent(one.share)}) | ${Object.entries(
      one.byWhatTheyShare,
    )
      .map(([kind, count]) => `${kind} ${count}`)
      .join(", ")} | ${one.unneededShown} of ${one.unneeded} (${percent(one.unneededShare)}) | ${one.across} |`;
  return `${[
    "| workspaces | where | needed and shown | by what they share | unneeded, and shown something | of another workspace |",
    "|---|---|---|---|---|---|",
    ...ways.map((way) => line("left out (3)", way, figures.report[way])),
    ...ways.map((way) => line("in-sample (2)", way, figures.tune[way])),
  ].join("\n")}\n`;
}

function percent(share: number): string {
  return `${rounded(100 * share, 1)} %`;
}
