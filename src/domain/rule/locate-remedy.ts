import { relativePathWithin } from "../workspace.ts";
import { inlineCode } from "../text/tool-name.ts";
import type { Rule } from "./rule.ts";

/** The rules as they are shown: with a call, or to an agent in a folder. */
export function locateRules<T extends Pick<Rule, "text" | "origin" | "scope" | "matcher">>(
  rules: readonly T[],
  to: {
    readonly cwd?: string | null;
    readonly workspace: string | null;
    readonly call?: { readonly cwd: string | null } | undefined;
  },
): readonly T[] {
  const { call } = to;
  return call === undefined
    ? rules.filter((rule) => !isOfOtherFolder(rule, to))
    : rules.map((rule) => locateRemedy(rule, call.cwd));
}

/**
 * A mined rule as it is shown with a call. A remedy that begins with a path of the project, or with `cd`, can be run
 * only in the workspace's root; for a call in another folder, the sentence says so.
 */
function locateRemedy<T extends Pick<Rule, "text" | "origin" | "scope">>(rule: T, cwd: string | null): T {
  const { text, origin, scope } = rule;
  if (origin !== "tool" || scope.kind !== "workspace" || cwd === null || cwd === scope.workspace) return rule;
  if (!beginsInRoot.test(text)) return rule;
  return { ...rule, text: `${text} Run it in ${inlineCode(scope.workspace)}.` };
}

const beginsInRoot = /^(?:Use|Run) `(?:[A-Za-z_]\w*=\S+ )*(?:cd (?![/~$])|\.{0,2}[\w@-][\w@.-]*\/)/;

/** True if the rule is about a script of another folder than the agent's: there it would name the wrong manifest. */
function isOfOtherFolder(
  { matcher }: Pick<Rule, "matcher">,
  { cwd = null, workspace }: { readonly cwd?: string | null; readonly workspace: string | null },
): boolean {
  if (cwd === null || workspace === null) return false;
  const folder = matcher?.has?.find((trait) => trait.startsWith("script in "));
  const own = relativePathWithin(workspace, cwd);
  return folder !== undefined && own !== null && folder !== `script in ${own === "" ? "." : own}`;
}
