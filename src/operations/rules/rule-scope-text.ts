import { thisMachine } from "../../config.ts";
import { scopeCovers, type Scope } from "../../domain/rule/rule.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";

/** Where a rule holds, as a person reads it: null where that is the folder they stand in. */
export function formatRuleScope(scope: unknown): string | null {
  const { kind, workspace } = scope as { readonly kind: Scope["kind"]; readonly workspace?: string };
  if (kind === "global" || workspace === undefined) return "everywhere";
  return isLocalScope(scope) ? null : shortenFolder(workspace);
}

/** With where it holds, for a list of rules of many places. */
export function appendRuleScope(text: string, scope: unknown): string {
  const place = formatRuleScope(scope);
  return place === null ? text : `${text.replace(/\.$/, "")} (${place})`;
}

/** Those of this folder first, then those of everywhere; each in the order given. */
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
