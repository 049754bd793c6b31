import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { defaultConfidence, type MemoryKind } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import { OldhandError } from "../../lib/errors.ts";
import { hashText } from "../../lib/hash.ts";
import { readWholeText } from "../transcripts/whole-text.ts";
import { redactAndCap } from "../protocol/to-event.ts";
import type { OtherStore, StoreItem } from "./other-store.ts";

/**
 * Hermes Agent: `~/.hermes`, with the agent's notes about its work and its user. Its sessions, in `state.db`, are read
 * by the host of the same name.
 */
export const hermes: OtherStore = {
  name: "hermes",
  title: "Hermes",
  defaultPaths: ({ userHome, env }) => [env["HERMES_HOME"] || join(userHome, ".hermes")],
  isAt: (path) => listMemoryFiles(path).length > 0,
  files: (path) => [...listMemoryFiles(path).map(({ file }) => file), ...listSkillFiles(path)],
  transcripts: (path) => [join(path, "state.db")].filter((file) => existsSync(file)),
  read: function* (path, policy) {
    const files = listMemoryFiles(path);
    const skills = listSkillFiles(path).length;
    if (files.length === 0 && skills === 0)
      throw new OldhandError("input", `no Hermes data at ${path}`, {
        hint: "name its home (~/.hermes), its state.db, or a MEMORY.md or USER.md",
      });
    for (const { file, kind } of files) yield* readEntries(file, kind, policy);
    if (skills > 0) yield { kind: "left", left: { what: "skills", count: skills, why: "skills are not imported yet" } };
    if (existsSync(join(path, "SOUL.md")))
      yield { kind: "left", left: { what: "SOUL.md", count: 1, why: "only the owner defines the identity" } };
  },
};

interface MemoryFile {
  readonly file: string;
  readonly kind: MemoryKind;
}

/** The memory files of the home and of each profile, or the one file that was named. */
function listMemoryFiles(path: string): readonly MemoryFile[] {
  if (existsSync(path) && statSync(path).isFile()) {
    const kind = kinds[basename(path)];
    return kind === undefined ? [] : [{ file: path, kind }];
  }
  const homes = [path, ...listNames(join(path, "profiles")).map((name) => join(path, "profiles", name))];
  return homes.flatMap((home) =>
    Object.entries(kinds).flatMap(([name, kind]) => {
      const file = join(home, "memories", name);
      return existsSync(file) ? [{ file, kind }] : [];
    }),
  );
}

const kinds: Readonly<Record<string, MemoryKind>> = { "MEMORY.md": "fact", "USER.md": "profile" };

function* readEntries(file: string, kind: MemoryKind, policy: Policy["observe"]): Iterable<StoreItem> {
  const written = readWholeText(file)
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n");
  const at = Math.round(statSync(file).mtimeMs);
  for (const entry of written.split(/(?:^|\n)§(?:\n|$)/)) {
    const words = entry.trim();
    if (words === "") continue;
    yield {
      kind: "memory",
      workspace: null,
      at,
      memory: {
        key: `hermes:${basename(file)}:${hashText(words)}`,
        text: redactAndCap(words, policy.payloadCharacters),
        kind,
        category: null,
        confidence: defaultConfidence.external,
        tags: ["hermes"],
      },
    };
  }
}

/** `skills/<name>/SKILL.md` or one folder deeper; hidden folders are skipped. */
function listSkillFiles(path: string): readonly string[] {
  const at = (folder: string, depth: number): readonly string[] =>
    listNames(folder).flatMap((name) => {
      const file = join(folder, name, "SKILL.md");
      if (existsSync(file)) return [file];
      return depth > 0 ? at(join(folder, name), depth - 1) : [];
    });
  return at(join(path, "skills"), 1);
}

function listNames(folder: string): readonly string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .toSorted();
}
