import { stableJson } from "../../../lib/json.ts";
import { parseCommands, isShellTool } from "../../shell/command.ts";
import { findShellText } from "../../shell/shell-text.ts";
import { isCheck } from "../../event/benign.ts";
import type { Outcome } from "../../event/outcome.ts";
import { findNamedFile } from "../../text/named-file.ts";

/** Tracks a session's state for matchers. */
export interface Situation {
  /** Returns the state traits that hold for a call about to be made, without those of `listRuns`. */
  before(call: SituationCall): ReadonlySet<string>;
  /** Returns the traits of the commands that have worked so far. Too many to be stored with each call. */
  listRuns(agent: string | null): readonly string[];
  /** Updates the state from a completed call. */
  after(call: CompletedCall): void;
}

export interface SituationCall {
  readonly tool: string;
  readonly head: string | null;
  readonly input: unknown;
  readonly agent: string | null;
  readonly cwd?: string | null;
}

export interface CompletedCall extends SituationCall {
  readonly outcome: Outcome | null;
  readonly benign: boolean;
  /** The error text of a failed call, if known. */
  readonly error?: string | null;
}

const STATE = "so far: ";
export const unreadTrait = `${STATE}file not read`;
export const changedTrait = `${STATE}file changed since it was read`;
export const failedBeforeTrait = `${STATE}the same call failed, and nothing was changed since`;
export const headFailingTrait = `${STATE}the command failed the last time`;
export const untestedTrait = `${STATE}edits not tested`;
export const folderPathTrait = `${STATE}the path is a folder`;
export const nothingStartedTrait = `${STATE}nothing started in the background`;
export const cannotStartTrait = `${STATE}the tool could not start`;

const RAN = `${STATE}ran `;

/** The trait of a session in which a command has worked: `terraform init` before `terraform plan`. */
export function ranTrait(head: string): string {
  return `${RAN}${head}`;
}

/** Returns the head of the command, or null for another trait. */
export function readRanTrait(trait: string): string | null {
  return trait.startsWith(RAN) ? trait.slice(RAN.length) : null;
}

export function isStateTrait(trait: string): boolean {
  return trait.startsWith(STATE);
}

/** The state of one agent. Sub-agents do not know what others have read. */
interface AgentState {
  /** Known files with their base names, by which a shell line may mention them. */
  readonly known: Map<string, string>;
  readonly changed: Set<string>;
  readonly failed: Set<string>;
  readonly failing: Set<string>;
  /** Folders known from paths and commands. */
  readonly folders: Set<string>;
  /** Files for which an edit was refused because they were not read. */
  readonly refused: Set<string>;
  /** Tools whose program could not be started. */
  readonly stopped: Set<string>;
  /** The heads of commands that worked. */
  readonly ran: Set<string>;
  edited: boolean;
  started: boolean;
  /** True if it edited a file that it had not read here: the record began after the session did. */
  knowsMore: boolean;
}

export function newSituation(): Situation {
  const memos = new Map<string, AgentState>();
  const memoOf = (agent: string | null): AgentState => {
    const known = memos.get(agent ?? "");
    if (known) return known;
    const fresh = {
      known: new Map<string, string>(),
      changed: new Set<string>(),
      failed: new Set<string>(),
      failing: new Set<string>(),
      folders: new Set<string>(),
      refused: new Set<string>(),
      stopped: new Set<string>(),
      ran: new Set<string>(),
      edited: false,
      started: false,
      knowsMore: false,
    };
    memos.set(agent ?? "", fresh);
    return fresh;
  };
  return {
    before: (call) => listHoldingTraits(memoOf(call.agent), call),
    listRuns: (agent) => [...memoOf(agent).ran].map(ranTrait),
    after: (call) => note(memoOf(call.agent), call),
  };
}

const nothing: ReadonlySet<string> = new Set();

function listHoldingTraits(memo: AgentState, call: SituationCall): ReadonlySet<string> {
  const found: string[] = [];
  if (isShellTool(call.tool)) {
    if (call.head !== null && memo.failing.has(call.head)) found.push(headFailingTrait);
    if (call.head === "git commit" || call.head === "git push") if (memo.edited) found.push(untestedTrait);
    if (!memo.started && /\b(?:localhost|127\.0\.0\.1)\b/.test(findShellText(call.input) ?? ""))
      found.push(nothingStartedTrait);
  } else if (editTools.has(call.tool.toLowerCase())) {
    const file = findNamedFile(call.input);
    if (file !== null && (memo.refused.has(file) || (!memo.known.has(file) && !memo.knowsMore)))
      found.push(unreadTrait);
    if (file !== null && memo.changed.has(file)) found.push(changedTrait);
  } else if (readTools.has(call.tool.toLowerCase())) {
    const path = findNamedFile(call.input)?.replace(/[/\\]+$/, "") ?? null;
    if (path !== null && (memo.folders.has(path) || (call.cwd ?? "").startsWith(`${path}/`) || call.cwd === path))
      found.push(folderPathTrait);
  }
  if (memo.stopped.has(call.tool)) found.push(cannotStartTrait);
  if (memo.failed.size > 0 && memo.failed.has(keyOf(call))) found.push(failedBeforeTrait);
  return found.length === 0 ? nothing : new Set(found);
}

function note(memo: AgentState, call: CompletedCall): void {
  const worked = call.outcome === "ok" || (call.outcome === "failed" && call.benign);
  if (call.outcome === "failed" && !call.benign) {
    memo.failed.add(keyOf(call));
    if (isShellTool(call.tool)) {
      if (call.head !== null) memo.failing.add(call.head);
    } else noteRefusal(memo, call);
    return;
  }
  if (!worked) return;
  memo.stopped.delete(call.tool);
  if (isShellTool(call.tool)) noteShell(memo, call);
  else noteFile(memo, call);
}

function noteRefusal(memo: AgentState, { tool, input, error }: CompletedCall): void {
  const text = error ?? "";
  const file = findNamedFile(input);
  if (file !== null && /\bhas not been read yet\b|^(?:you )?must (?:first )?read\b/i.test(text)) memo.refused.add(file);
  if (/\bENOENT\b.*\bspawn\b|\bposix_spawn\b/.test(text)) memo.stopped.add(tool);
}

function noteFile(memo: AgentState, call: CompletedCall): void {
  const tool = call.tool.toLowerCase();
  const edits = editTools.has(tool) || writeTools.has(tool);
  noteFolders(memo, findNamedFile(call.input));
  noteFolders(memo, searchedIn(call));
  if (editTools.has(tool) && !memo.known.has(findNamedFile(call.input) ?? "")) memo.knowsMore = true;
  if (!edits && !readTools.has(tool)) return;
  const file = findNamedFile(call.input);
  if (file !== null) {
    memo.known.set(file, baseName(file));
    memo.changed.delete(file);
    memo.refused.delete(file);
  }
  if (edits) {
    memo.edited = true;
    memo.failed.clear();
  }
}

/** The fixed part of a glob before its first wildcard is a folder; the trailing slash marks it as one. */
function searchedIn({ tool, input, cwd }: CompletedCall): string | null {
  if (!globTools.has(tool.toLowerCase())) return null;
  const { pattern } = (input ?? {}) as { readonly pattern?: unknown };
  const fixed = typeof pattern === "string" ? pattern.split("/").filter(Boolean) : [];
  const wild = fixed.findIndex((name) => /[*?[{]/.test(name));
  const below = typeof pattern === "string" && pattern.startsWith("/") ? "" : (findNamedFile(input) ?? cwd ?? "");
  return [below.replace(/\/+$/, ""), ...fixed.slice(0, wild === -1 ? -1 : wild), ""].join("/");
}

/** Records all parent folders of a file. A folder practically always stays a folder during a session. */
function noteFolders(memo: AgentState, file: string | null): void {
  if (file === null || memo.folders.size >= MOST_FOLDERS) return;
  for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
    const folder = file.slice(0, at);
    if (memo.folders.has(folder)) return;
    memo.folders.add(folder);
  }
}

const MOST_FOLDERS = 2_000;

function noteShell(memo: AgentState, call: CompletedCall): void {
  if (call.head !== null) memo.failing.delete(call.head);
  const shell = findShellText(call.input) ?? "";
  if (/&\s*$|\bnohup\b|run_in_background/.test(shell) || isBackground(call.input)) memo.started = true;
  const commands = parseCommands(shell);
  for (const { program, head, args, cwd } of commands) {
    memo.ran.add(head);
    for (const arg of args) if (arg.startsWith("/")) noteFolders(memo, program === "find" ? `${arg}/` : arg);
    if (cwd?.startsWith("/") === true) noteFolders(memo, `${cwd}/`);
  }
  if (commands.some(isCheck)) memo.edited = false;
  if (!commands.every((command) => readOnlyPrograms.has(command.program))) {
    memo.failed.clear();
    // The command may have changed any file, but only known files that the line names are marked.
    for (const [file, name] of memo.known) if (shell.includes(name)) memo.changed.add(file);
  }
}

function isBackground(input: unknown): boolean {
  return (
    typeof input === "object" && input !== null && (input as Record<string, unknown>)["run_in_background"] === true
  );
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

function keyOf(call: SituationCall): string {
  const shell = isShellTool(call.tool) ? findShellText(call.input) : null;
  return shell === null ? `${call.tool} ${stableJson(call.input ?? null)}` : shell.replace(/\s+/g, " ").trim();
}

const editTools: ReadonlySet<string> = new Set(
  "edit multiedit notebookedit str_replace_editor str_replace_based_edit_tool replace edit_file search_replace insert_edit_into_file replace_string_in_file replace_in_file".split(
    " ",
  ),
);
const writeTools: ReadonlySet<string> = new Set(
  "write write_file create_file write_to_file apply_patch patch".split(" "),
);
const globTools: ReadonlySet<string> = new Set("glob glob_files".split(" "));
const readTools: ReadonlySet<string> = new Set("read read_file view read_many_files notebookread open_file".split(" "));

/** Programs that change nothing. */
const readOnlyPrograms: ReadonlySet<string> = new Set(
  "cat ls head tail grep rg find wc stat file which echo pwd sort uniq cut tree diff less more du df env printenv cd test [ true".split(
    " ",
  ),
);
