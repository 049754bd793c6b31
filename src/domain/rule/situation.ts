import { stableJson } from "../../lib/json.ts";
import { commandsOf, isShellTool } from "../shell/command.ts";
import { shellTextOf } from "../shell/shell-text.ts";
import { isCheck } from "../event/benign.ts";
import type { Outcome } from "../event/outcome.ts";
import { fileOf } from "../text/named-file.ts";

/** What a session has come to, as far as rules ask: `now` names what holds before the next call of an agent. */
export interface Situation {
  /** Before the call: which of the state's traits hold for it. */
  before(call: Doing): ReadonlySet<string>;
  /** After it. */
  after(call: Done): void;
}

export interface Doing {
  readonly tool: string;
  readonly head: string | null;
  readonly input: unknown;
  readonly agent: string | null;
  readonly cwd?: string | null;
}

export interface Done extends Doing {
  readonly outcome: Outcome | null;
  readonly benign: boolean;
  /** What it said when it failed, where that is known. */
  readonly error?: string | null;
}

const STATE = "so far: ";
export const unread = `${STATE}file not read`;
export const changed = `${STATE}file changed since it was read`;
export const failedBefore = `${STATE}the same call failed, and nothing was changed since`;
export const headFailing = `${STATE}the command failed the last time`;
export const untested = `${STATE}edits not tested`;
export const isFolder = `${STATE}the path is a folder`;
export const nothingStarted = `${STATE}nothing started in the background`;
export const cannotStart = `${STATE}the tool could not start`;

export function isStateTrait(trait: string): boolean {
  return trait.startsWith(STATE);
}

/** What one agent knows and has done. Sub-agents know nothing of what the others read. */
interface Memo {
  /** With the names by which a line would call them. */
  readonly known: Map<string, string>;
  readonly changed: Set<string>;
  readonly failed: Set<string>;
  readonly failing: Set<string>;
  /** Folders in which something was seen. */
  readonly folders: Set<string>;
  /** Files of which an edit was refused because they were not read. */
  readonly refused: Set<string>;
  /** Tools whose own program could not be started. */
  readonly stopped: Set<string>;
  edited: boolean;
  started: boolean;
  /** It knew a file that it had not read here: the record began later than the session. */
  knowsMore: boolean;
}

export function newSituation(): Situation {
  const memos = new Map<string, Memo>();
  const memoOf = (agent: string | null): Memo => {
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
      edited: false,
      started: false,
      knowsMore: false,
    };
    memos.set(agent ?? "", fresh);
    return fresh;
  };
  return {
    before: (call) => holding(memoOf(call.agent), call),
    after: (call) => note(memoOf(call.agent), call),
  };
}

const nothing: ReadonlySet<string> = new Set();

function holding(memo: Memo, call: Doing): ReadonlySet<string> {
  const found: string[] = [];
  if (isShellTool(call.tool)) {
    if (call.head !== null && memo.failing.has(call.head)) found.push(headFailing);
    if (call.head === "git commit" || call.head === "git push") if (memo.edited) found.push(untested);
    if (!memo.started && /\b(?:localhost|127\.0\.0\.1)\b/.test(shellTextOf(call.input) ?? ""))
      found.push(nothingStarted);
  } else if (editTools.has(call.tool.toLowerCase())) {
    const file = fileOf(call.input);
    if (file !== null && (memo.refused.has(file) || (!memo.known.has(file) && !memo.knowsMore))) found.push(unread);
    if (file !== null && memo.changed.has(file)) found.push(changed);
  } else if (readTools.has(call.tool.toLowerCase())) {
    const path = fileOf(call.input)?.replace(/[/\\]+$/, "") ?? null;
    if (path !== null && (memo.folders.has(path) || (call.cwd ?? "").startsWith(`${path}/`) || call.cwd === path))
      found.push(isFolder);
  }
  if (memo.stopped.has(call.tool)) found.push(cannotStart);
  if (memo.failed.size > 0 && memo.failed.has(keyOf(call))) found.push(failedBefore);
  return found.length === 0 ? nothing : new Set(found);
}

function note(memo: Memo, call: Done): void {
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

function noteRefusal(memo: Memo, { tool, input, error }: Done): void {
  const said = error ?? "";
  const file = fileOf(input);
  if (file !== null && /\bhas not been read yet\b|^(?:you )?must (?:first )?read\b/i.test(said)) memo.refused.add(file);
  if (/\bENOENT\b.*\bspawn\b|\bposix_spawn\b/.test(said)) memo.stopped.add(tool);
}

function noteFile(memo: Memo, call: Done): void {
  const tool = call.tool.toLowerCase();
  const edits = editTools.has(tool) || writeTools.has(tool);
  noteFolders(memo, fileOf(call.input));
  noteFolders(memo, searchedIn(call));
  if (editTools.has(tool) && !memo.known.has(fileOf(call.input) ?? "")) memo.knowsMore = true;
  if (!edits && !readTools.has(tool)) return;
  const file = fileOf(call.input);
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

/** A glob names a folder up to its first wildcard; a slash at its end says that it is one. */
function searchedIn({ tool, input, cwd }: Done): string | null {
  if (!globTools.has(tool.toLowerCase())) return null;
  const { pattern } = (input ?? {}) as { readonly pattern?: unknown };
  const fixed = typeof pattern === "string" ? pattern.split("/").filter(Boolean) : [];
  const wild = fixed.findIndex((name) => /[*?[{]/.test(name));
  const below = typeof pattern === "string" && pattern.startsWith("/") ? "" : (fileOf(input) ?? cwd ?? "");
  return [below.replace(/\/+$/, ""), ...fixed.slice(0, wild === -1 ? -1 : wild), ""].join("/");
}

/** Of a file all folders that it is in: what is a folder once stays one for a session, as good as always. */
function noteFolders(memo: Memo, file: string | null): void {
  if (file === null || memo.folders.size >= MOST_FOLDERS) return;
  for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
    const folder = file.slice(0, at);
    if (memo.folders.has(folder)) return;
    memo.folders.add(folder);
  }
}

const MOST_FOLDERS = 2_000;

function noteShell(memo: Memo, call: Done): void {
  if (call.head !== null) memo.failing.delete(call.head);
  const shell = shellTextOf(call.input) ?? "";
  if (/&\s*$|\bnohup\b|run_in_background/.test(shell) || isBackground(call.input)) memo.started = true;
  const commands = commandsOf(shell);
  for (const { program, args, cwd } of commands) {
    for (const arg of args) if (arg.startsWith("/")) noteFolders(memo, program === "find" ? `${arg}/` : arg);
    if (cwd?.startsWith("/") === true) noteFolders(memo, `${cwd}/`);
  }
  if (commands.some(isCheck)) memo.edited = false;
  if (!commands.every((command) => onlyLooks.has(command.program))) {
    memo.failed.clear();
    // Somebody who may have touched any file: what was read is no longer sure, but only what the line names is told.
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

function keyOf(call: Doing): string {
  const shell = isShellTool(call.tool) ? shellTextOf(call.input) : null;
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

/** These leave everything as it was. */
const onlyLooks: ReadonlySet<string> = new Set(
  "cat ls head tail grep rg find wc stat file which echo pwd sort uniq cut tree diff less more du df env printenv cd test [ true".split(
    " ",
  ),
);
