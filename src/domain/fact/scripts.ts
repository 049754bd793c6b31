import type { ShellCommand } from "../shell/command.ts";
import { manifests } from "../shell/script-runners.ts";

/** npm runs these scripts without `run`. */
const npmOwn = /^(?:test|t|start|stop|restart)$/;

/**
 * Returns the script that a command runs, with its manifest, as a fact's subject; null if it runs none, or one of
 * another package.
 */
export function findScriptSubject(command: ShellCommand, folder: string | null): string | null {
  const { program, words } = command;
  const manifest = manifests.get(program);
  if (manifest === undefined || folder === null || isOfOtherPackage(command)) return null;
  const plain = words.slice(1).filter((word, at) => !word.startsWith("-") && !takesValue(words[at] ?? ""));
  const [first = "", second] = plain;
  const isRun = /^(?:run|run-script|task)$/.test(first);
  const script = isRun ? second : program === "npm" && !npmOwn.test(first) ? undefined : first;
  return script === undefined || !/^[\w:.@/-]+$/.test(script) ? null : scriptSubject(folder, manifest, script);
}

/** True if it runs a script of a package that an option names: `npm run lint --workspace web`. */
export function isOfOtherPackage({ program, words }: ShellCommand): boolean {
  return manifests.has(program) && words.some((word) => packageOption.test(word));
}

const packageOption = /^(?:-w|-ws|-F|-r|-f|--workspace|--workspaces|--filter|--recursive|--file)(?:=|$)/;

function takesValue(word: string): boolean {
  return /^(?:-C|--cwd|--prefix|--dir|--directory|-j)$/.test(word);
}

function scriptSubject(folder: string, manifest: string, script: string): string {
  return `${folder}/${manifest}#${script}`;
}

/** The manifest and the script of a fact's subject. */
export function parseScriptSubject(subject: string): { readonly manifest: string; readonly script: string } {
  const at = subject.lastIndexOf("#");
  return { manifest: subject.slice(0, at), script: subject.slice(at + 1) };
}
