import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import type { Fact } from "../../domain/fact/fact.ts";
import { changesTarget } from "../../domain/text/target-change.ts";
import { splitPath } from "../../domain/text/path-names.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import type { LookupBudget } from "../disk/lookup-budget.ts";
import { isWithin } from "../../lib/within.ts";

/**
 * The facts, and for a missing path where it is instead, if nothing is known to have worked: seen from a folder above the
 * one of the call, or below the only folder of that name.
 */
export async function locateMissingPaths<T extends Fact>(
  ctx: Pick<Context, "config">,
  facts: readonly T[],
  cwd: string | null,
): Promise<readonly T[]> {
  const located: T[] = [];
  const { newLookupBudget } = await import("../disk/lookup-budget.ts");
  const budget = newLookupBudget({ entries: MOST_ENTRIES, ms: ctx.config.policy.recall.answerMs });
  for (const fact of facts) {
    const instead = fact.kind === "missing-path" && fact.instead === null ? await findPath(fact, cwd, budget) : null;
    located.push(instead === null || changesTarget(instead, fact.subject) ? fact : { ...fact, instead });
  }
  return located;
}

async function findPath(fact: Fact, cwd: string | null, budget: LookupBudget): Promise<string | null> {
  const { subject, workspace } = fact;
  const names = splitPath(relativePathWithin(workspace, subject) ?? "");
  if (names.length === 0) return null;
  const { newHiddenCheck } = await import("../disk/ignored.ts");
  const isHidden = newHiddenCheck(workspace);
  const above = findFromAbove(fact, cwd);
  if (above !== null) return isHidden(relativePathWithin(workspace, above) ?? "", true) ? null : above;
  const missing = names.findIndex((_, at) => !existsSync(join(workspace, ...names.slice(0, at + 1))));
  const { findFoldersNamed } = await import("../disk/similar-paths.ts");
  const folders = findFoldersNamed({ root: workspace, isHidden, budget }, names[missing] ?? "");
  const [only, ...others] = folders ?? [];
  if (only === undefined || others.length > 0) return null;
  const found = [...only, ...names.slice(missing + 1)];
  const path = join(workspace, ...found);
  return !isHidden(found.join("/"), false) && existsSync(path) && isWithin(path, workspace) ? path : null;
}

/** For all facts together. More would delay the call. */
const MOST_ENTRIES = 5_000;

/** The path as it was typed, seen from a folder above: `packages` in the root for `packages` in `backend`. */
export function findFromAbove(
  { subject, workspace }: Pick<Fact, "subject" | "workspace">,
  cwd: string | null,
): string | null {
  const typed = cwd === null ? null : relativePathWithin(cwd, subject);
  const inside = cwd === null ? null : relativePathWithin(workspace, cwd);
  if (typed === null || inside === null) return null;
  const folders = splitPath(inside);
  for (let depth = folders.length - 1; depth >= 0; depth--) {
    const path = join(workspace, ...folders.slice(0, depth), typed);
    if (existsSync(path) && isWithin(path, workspace)) return path;
  }
  return null;
}
