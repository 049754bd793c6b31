import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { detectCause } from "../../domain/cause/cause.ts";
import { parseCommands, isShellTool } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { matcherHeads, matchesSteps, stripSituation } from "../../domain/rule/matching/matcher.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import type { Db } from "../../store/engine/db.ts";
import { listWorkspaceCalls } from "../../store/events/workspace-calls.ts";
import { type CitedFailure, failuresCitedBy } from "./cited-failures.ts";

/** True if a module that a rule reports missing exists now: its file is there, or a later call that needs it worked. */
export async function isModuleThere(db: Db, rule: Rule, workspace: string): Promise<boolean> {
  if (await hasWorkedSince(db, rule, workspace)) return true;
  const missing = (await failuresCitedBy(db, rule, workspace)).flatMap((failure) => {
    const cause = detectCause(failure.call, failure.error);
    return cause?.kind === "missing-module" && cause.thing !== null ? [{ ...failure, module: cause.thing }] : [];
  });
  return missing.length > 0 && missing.every((one) => hasFile(one, workspace));
}

/** True if the latest call that the rule matches worked, after those that failed. */
async function hasWorkedSince(db: Db, { matcher, evidence }: Rule, workspace: string): Promise<boolean> {
  if (matcher === null) return false;
  const filter = { tool: matcher.tool === "shell" ? null : matcher.tool, heads: matcherHeads(matcher) };
  const calls = await listWorkspaceCalls(db, workspace, filter);
  const latest = calls.find((call) => matchesSteps(stripSituation(matcher), parseSteps(call), new Set()));
  return latest !== undefined && !latest.failed && latest.at >= evidence.last;
}

function hasFile(failure: CitedFailure & { readonly module: string }, workspace: string): boolean {
  const { module } = failure;
  const folders = [...new Set([failure.call.cwd ?? workspace, workspace, ...foldersOfScripts(failure, workspace)])];
  const name = module.split(".")[0] ?? module;
  const names = module.startsWith(".") || module.startsWith("/") ? written(module) : [...python(name), ...node(module)];
  return folders.some((folder) => names.some((one) => exists(one.startsWith("/") ? one : join(folder, one))));
}

/** Python searches the script's folder first. */
function foldersOfScripts({ call }: CitedFailure, workspace: string): readonly string[] {
  const shell = isShellTool(call.tool) ? findShellText(call.input) : null;
  if (shell === null) return [];
  return parseCommands(shell)
    .flatMap(({ args }) => args.filter((arg) => /\.(?:py|[cm]?[jt]s)$/.test(arg)))
    .map((script) => dirname(script.startsWith("/") ? script : join(call.cwd ?? workspace, script)));
}

const endings = ["", ".js", ".mjs", ".cjs", ".ts", ".json"];

function written(module: string): readonly string[] {
  return endings.map((ending) => module + ending);
}

function python(name: string): readonly string[] {
  return /^\w+$/.test(name) ? [`${name}.py`, `${name}/`, `src/${name}/`] : [];
}

function node(module: string): readonly string[] {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0];
  return name === undefined ? [] : [join("node_modules", name)];
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // No permission: treated as missing.
    return false;
  }
}
