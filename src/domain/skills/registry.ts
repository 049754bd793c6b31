import { isRecord } from "../../lib/json.ts";
import { linearRegex } from "../../lib/linear-regex.ts";
import { parseCommands } from "../shell/command.ts";
import type { Origin } from "../rule/rule.ts";
import { plainName } from "../trust/trust.ts";

/** A command pattern for which a registry names a skill. */
export interface Bypass {
  readonly skill: string;
  readonly pattern: string;
  readonly origin: Origin;
  /** The workspace of the registry; null if it applies everywhere. */
  readonly workspace: string | null;
  /** The reason given by the registry's author. Only the owner's reasons are repeated to agents. */
  readonly reason: string | null;
  test(text: string): boolean;
}

export interface Registry {
  readonly bypasses: readonly Bypass[];
  /** The entries that were refused, each with the reason, for the registry's author. */
  readonly refused: readonly string[];
}

export interface RegistrySource {
  readonly file: string;
  readonly origin: Origin;
  readonly workspace: string | null;
}

/**
 * Reads a list of `{ "skill": …, "pattern": … }` or `{ "skill": …, "patterns": […] }`, bare or under `skills`. A skill
 * may have several entries; they add up.
 */
export function readRegistry(parsed: unknown, source: RegistrySource): Registry {
  const list = listIn(parsed);
  if (list === null) return { bypasses: [], refused: [`${source.file}: no list of skills`] };
  const bypasses: Bypass[] = [];
  const refused: string[] = [];
  for (const [at, entry] of list.slice(0, MOST).entries()) {
    const where = `${source.file}, entry ${at + 1}`;
    const skill = isRecord(entry) && typeof entry["skill"] === "string" ? plainName(entry["skill"]) : null;
    if (!isRecord(entry) || skill === null) {
      refused.push(`${where}: no valid skill name`);
      continue;
    }
    const reason = typeof entry["reason"] === "string" ? entry["reason"] : null;
    for (const pattern of [entry["pattern"], entry["patterns"]].flat()) {
      if (pattern === undefined) continue;
      const regex = typeof pattern === "string" ? linearRegex(pattern) : null;
      if (typeof pattern !== "string" || regex === null) refused.push(`${where}: a pattern must be a string`);
      else if (regex.kind === "refused") refused.push(`${where}: the pattern ${pattern.slice(0, 80)}: ${regex.why}`);
      else
        bypasses.push({ skill, pattern, reason, origin: source.origin, workspace: source.workspace, test: regex.test });
    }
  }
  return { bypasses, refused };
}

/** Combines registries. If a pattern repeats for the same skill and workspace, the first one is kept. */
export function mergeRegistries(all: readonly Registry[]): Registry {
  const known = new Set<string>();
  const bypasses = all
    .flatMap((one) => one.bypasses)
    .filter((one) => {
      const id = JSON.stringify([one.workspace, one.skill, one.pattern]);
      return !known.has(id) && known.add(id);
    });
  return { bypasses, refused: all.flatMap((one) => one.refused) };
}

/** Only this many characters of a command are tested. */
const LOOKED_AT = 2_000;
const MOST = 500;

/** Returns the command of a shell line that bypasses the skill, or null. */
export function findBypassedCommand(bypass: Bypass, shell: string): { readonly head: string } | null {
  const commands = parseCommands(shell.slice(0, LOOKED_AT * 2));
  const found = commands.find((command) => bypass.test(command.text.slice(0, LOOKED_AT)));
  if (found !== undefined) return { head: found.head };
  // Only a pattern that contains `|`, `&` or `;` is tested against the whole line.
  const first = /[|&;]/.test(bypass.pattern) && bypass.test(shell.slice(0, LOOKED_AT)) ? commands[0] : undefined;
  return first === undefined ? null : { head: first.head };
}

/** Commands that are risky in any project. Owners of such skills add more in their own registries. */
export function builtInRegistry(): Registry {
  return readRegistry(BUILT_IN, { file: "built in", origin: "tool", workspace: null });
}

const BUILT_IN = [
  {
    skill: "git-safety",
    patterns: [
      "\\bgit\\s+(?:-\\S+\\s+)*push\\b.*\\s--no-verify\\b",
      "\\bgit\\s+(?:-\\S+\\s+)*commit\\b.*\\s--no-verify\\b",
      "\\bgit\\s+(?:-\\S+\\s+)*push\\b.*\\s(?:--force(?!-with-lease|-if)|-f)\\b",
    ],
  },
  { skill: "rm-safety", pattern: "\\brm\\s+-(?:rf|fr|r\\s+-f|f\\s+-r)\\w*\\s+(?:~|/)(?!tmp\\b)" },
];

function listIn(parsed: unknown): readonly unknown[] | null {
  if (Array.isArray(parsed)) return parsed;
  if (!isRecord(parsed)) return null;
  for (const name of ["skills", "skill_registry", "skillRegistry", "registry"]) {
    const list = parsed[name];
    if (Array.isArray(list)) return list;
  }
  return null;
}
