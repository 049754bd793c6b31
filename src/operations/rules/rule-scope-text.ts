import { thisMachine } from "../../config.ts";
import { scopeCovers, type Scope } from "../../domain/rule/rule.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";

/** A rule's scope for a person; null if it is the current folder. */
export function formatRuleScope(scope: unknown): string | null {
  const { kind, workspace } = scope as { readonly kind: Scope["kind"]; readonly workspace?: string };
  if (kind === "global" || workspace === undefined) return "everywhere";
  return isLocalScope(scope) ? null : shortenFolder(workspace);
}

/** Appends the scope, for lists of rules from several places. */
export function appendRuleScope(text: string, scope: unknown): string {
  const place = formatRuleScope(scope);
  return place === null ? text : `${text.replace(/\.$/, "")} (${place})`;
}

/** Rules of this folder first, then global ones; otherwise in the given order. */
export function sortLocalFirst<T extends { readonly scope: unknown }>(rules: readonly T[]): readonly T[] {
  const rank = ({ scope }: T) => (isLocalScope(scope) ? 0 : formatRuleScope(scope) === "everywhere" ? 1 : 2);
  return rules.toSorted((a, b) => rank(a) - rank(b));
}

function isLocalScope(scope: unknown): boolean {
  const known = scope as Scope;
  return known.kind === "workspace" && scopeCovers(known, resolveTypedWorkspace("."));
}

function shortenFolder(folder: string): string {
  const home = thisMachine().userHome;
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
