import type { ShellCommand } from "../shell/command.ts";
import { findPackageScope, npmScripts } from "../shell/package-scope.ts";
import { manifests } from "../shell/script-runners.ts";

/** Returns the script that a command runs, with its manifest, as a fact's subject; null if it runs none that is known. */
export function findScriptSubject({ program, words: all }: ShellCommand, folder: string | null): string | null {
  const manifest = manifests.get(program);
  if (manifest === undefined || folder === null) return null;
  const scope = findPackageScope(program, all);
  const words = scope?.bare ?? all;
  if ((scope !== null && scope.name === null) || words.some((word) => otherManifest.test(word))) return null;
  const plain = words.slice(1).filter((word, at) => !word.startsWith("-") && !takesValue(words[at] ?? ""));
  const [first = "", second] = plain;
  const isRun = /^(?:run|run-script|task)$/.test(first);
  const script = isRun ? second : program === "npm" && !npmScripts.test(first) ? undefined : first;
  if (script === undefined || !/^[\w:.@/-]+$/.test(script)) return null;
  return `${folder}/${manifest}${scope === null ? "" : `[${scope.name}]`}#${script}`;
}

/** True if it runs a script of a package or a manifest that an option names: `npm run lint --workspace web`. */
export function isOfOtherPackage({ program, words }: ShellCommand): boolean {
  return (
    manifests.has(program) &&
    (findPackageScope(program, words) !== null || words.some((word) => otherManifest.test(word)))
  );
}

const otherManifest = /^(?:-w|-ws|-F|-r|-f|--workspace|--workspaces|--filter|--recursive|--file)(?:=|$)/;

function takesValue(word: string): boolean {
  return /^(?:-C|--cwd|--prefix|--dir|--directory|-j)$/.test(word);
}

/** What a fact's subject says of a script. */
export interface ScriptSubject {
  /** The manifest of the folder in which the command ran. */
  readonly manifest: string;
  readonly script: string;
  /** The package that the command named, or null. */
  readonly of: string | null;
}

export function parseScriptSubject(subject: string): ScriptSubject {
  const at = subject.lastIndexOf("#");
  const [, manifest = subject.slice(0, at), of = null] = /^(.*?)\[([^[\]]+)\]$/.exec(subject.slice(0, at)) ?? [];
  return { manifest, script: subject.slice(at + 1), of };
}
