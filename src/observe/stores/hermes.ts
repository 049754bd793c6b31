import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { defaultConfidence, type MemoryKind } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import { OldhandError } from "../../lib/errors.ts";
import { hashText } from "../../lib/hash.ts";
import { wholeText } from "../transcripts/whole-text.ts";
import { clean } from "../protocol/to-event.ts";
import type { OtherStore, Thing } from "./other-store.ts";

/** Hermes Agent: `~/.hermes`, with what its agent noted of its work and of its user. */
export const hermes: OtherStore = {
  name: "hermes",
  title: "Hermes",
  places: ({ userHome, env }) => [env["HERMES_HOME"] || join(userHome, ".hermes")],
  isAt: (path) => memoryFiles(path).length > 0,
  files: (path) => [...memoryFiles(path).map(({ file }) => file), ...skillFiles(path)],
  read: function* (path, policy) {
    const files = memoryFiles(path);
    const skills = skillFiles(path).length;
    if (files.length === 0 && skills === 0)
      throw new OldhandError("input", `there is nothing of Hermes at ${path}`, {
        hint: "name its home (~/.hermes), or a MEMORY.md or USER.md",
      });
    for (const { file, kind } of files) yield* entriesIn(file, kind, policy);
    if (skills > 0) yield { kind: "left", left: { what: "skills", count: skills, why: "skills are not imported yet" } };
    if (existsSync(join(path, "SOUL.md")))
      yield { kind: "left", left: { what: "SOUL.md", count: 1, why: "who a mind is, its owner says" } };
    if (existsSync(join(path, "state.db")))
      yield { kind: "left", left: { what: "state.db", count: 1, why: "its sessions are not imported yet" } };
  },
};

interface MemoryFile {
  readonly file: string;
  readonly kind: MemoryKind;
}

/** Of the home and of each of its profiles; or the one file that was named. */
function memoryFiles(path: string): readonly MemoryFile[] {
  if (existsSync(path) && statSync(path).isFile()) {
    const kind = kinds[basename(path)];
    return kind === undefined ? [] : [{ file: path, kind }];
  }
  const homes = [path, ...namesIn(join(path, "profiles")).map((name) => join(path, "profiles", name))];
  return homes.flatMap((home) =>
    Object.entries(kinds).flatMap(([name, kind]) => {
      const file = join(home, "memories", name);
      return existsSync(file) ? [{ file, kind }] : [];
    }),
  );
}

const kinds: Readonly<Record<string, MemoryKind>> = { "MEMORY.md": "fact", "USER.md": "profile" };

function* entriesIn(file: string, kind: MemoryKind, policy: Policy["observe"]): Iterable<Thing> {
  const written = wholeText(file)
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
        text: clean(words, policy.payloadCharacters),
        kind,
        category: null,
        confidence: defaultConfidence.external,
        tags: ["hermes"],
      },
    };
  }
}

/** `skills/<name>/SKILL.md` or one folder deeper; what it put away is not looked at. */
function skillFiles(path: string): readonly string[] {
  const at = (folder: string, depth: number): readonly string[] =>
    namesIn(folder).flatMap((name) => {
      const file = join(folder, name, "SKILL.md");
      if (existsSync(file)) return [file];
      return depth > 0 ? at(join(folder, name), depth - 1) : [];
    });
  return at(join(path, "skills"), 1);
}

function namesIn(folder: string): readonly string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .toSorted();
}
