import { dirname, join } from "node:path";
import type { Matcher } from "../../domain/rule/rule.ts";
import { parseScriptSubject } from "../../domain/fact/scripts.ts";
import { manifests } from "../../domain/shell/script-runners.ts";
import type { Step } from "../../domain/shell/step.ts";
import { SCRIPT_FOLDER_TRAIT } from "../../domain/shell/traits.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import { findNearestManifest } from "./fact-state.ts";

/** These use the manifest of their own folder only. */
const looksNowhereElse: ReadonlySet<string> = new Set(["make", "gmake", "composer"]);

/** The folder whose manifest a runner uses: the nearest one upwards that has it, else the folder itself. */
export function findScriptHome(folder: string, program: string, workspace: string): string {
  const manifest = manifests.get(program);
  if (manifest === undefined || looksNowhereElse.has(program)) return folder;
  const found = findNearestManifest(join(folder, manifest), workspace);
  return found === null ? folder : dirname(found);
}

/** `script in web/src` becomes `script in web` if only `web` has the manifest. Other traits stay as they are. */
function toHome(trait: string, program: string, workspace: string): string {
  if (!trait.startsWith(SCRIPT_FOLDER_TRAIT)) return trait;
  const folder = trait.slice(SCRIPT_FOLDER_TRAIT.length);
  const home = relativePathWithin(workspace, findScriptHome(join(workspace, folder), program, workspace));
  return home === null ? trait : SCRIPT_FOLDER_TRAIT + (home === "" ? "." : home);
}

export function hasScriptFolder(matcher: Matcher | null): boolean {
  return matcher?.has?.some((trait) => trait.startsWith(SCRIPT_FOLDER_TRAIT)) === true;
}

function programOf(head: string | null | undefined): string {
  return head?.split(" ", 1)[0] ?? "";
}

/** A rule about a script and the steps of a call, each with the folder of the manifest that counts there. */
export function moveToScriptHome(
  matcher: Matcher,
  steps: readonly Step[],
  workspace: string,
): { readonly matcher: Matcher; readonly steps: readonly Step[] } {
  return {
    matcher: { ...matcher, has: (matcher.has ?? []).map((trait) => toHome(trait, programOf(matcher.head), workspace)) },
    steps: steps.map((step) => ({
      ...step,
      traits: new Set([...step.traits].map((trait) => toHome(trait, programOf(step.head), workspace))),
    })),
  };
}

/** True if a rule is about a script of another manifest than the one that counts in the agent's folder. */
export function isOfOtherHome(matcher: Matcher | null, cwd: string, workspace: string): boolean {
  if (matcher === null || !hasScriptFolder(matcher)) return false;
  const program = programOf(matcher.head);
  const own = relativePathWithin(workspace, cwd);
  if (own === null) return false;
  const here = toHome(SCRIPT_FOLDER_TRAIT + (own === "" ? "." : own), program, workspace);
  return !(matcher.has ?? []).some((trait) => toHome(trait, program, workspace) === here);
}

/** A fact's subject with the manifest that counts: `/shop/package.json#lint` for `/shop/src/package.json#lint`. */
export function locateScriptSubject(subject: string, workspace: string): string {
  const { manifest, script, of } = parseScriptSubject(subject);
  if (of !== null || manifest.endsWith("/Makefile") || manifest.endsWith("/composer.json")) return subject;
  return `${findNearestManifest(manifest, workspace) ?? manifest}#${script}`;
}
