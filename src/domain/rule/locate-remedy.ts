import { inlineCode } from "../text/tool-name.ts";
import type { Rule } from "./rule.ts";

/**
 * A mined rule as it is shown with a call. A remedy that begins with a path of the project, or with `cd`, can be run
 * only in the workspace's root; for a call in another folder, the sentence says so.
 */
export function locateRemedy<T extends Pick<Rule, "text" | "origin" | "scope">>(rule: T, cwd: string | null): T {
  const { text, origin, scope } = rule;
  if (origin !== "tool" || scope.kind !== "workspace" || cwd === null || cwd === scope.workspace) return rule;
  if (!beginsInRoot.test(text)) return rule;
  return { ...rule, text: `${text} Run it in ${inlineCode(scope.workspace)}.` };
}

const beginsInRoot = /^(?:Use|Run) `(?:[A-Za-z_]\w*=\S+ )*(?:cd (?![/~$])|\.{0,2}[\w@-][\w@.-]*\/)/;
