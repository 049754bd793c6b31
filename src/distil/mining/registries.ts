import { join, resolve } from "node:path";
import type { Context } from "../../context.ts";
import { thisMachine } from "../../config.ts";
import {
  type Bypass,
  builtInRegistry,
  mergeRegistries,
  readRegistry,
  type Registry,
  type RegistrySource,
} from "../../domain/skills/registry.ts";
import { tryParseJson } from "../../lib/json.ts";
import { readPlainFile } from "../../lib/plain-file.ts";
import { listWorkspacesSeen } from "../../store/sessions/sessions.ts";
import { ownerHasSkill, workspaceHasSkill } from "./available-skills.ts";

/**
 * The owner's registry in the home, those of all known workspaces, and the built-in entries whose skill
 * exists. A file in a workspace may come from outside, so its origin is external.
 */
export async function readRegistries(ctx: Pick<Context, "db" | "config">): Promise<Registry> {
  const own = resolve(ctx.config.home, "skills.json");
  const found: Registry[] = [readRegistryFile({ file: own, origin: "owner", workspace: null })];
  for (const workspace of await listWorkspacesSeen(ctx.db))
    for (const name of files) {
      const file = resolve(workspace, name);
      if (file !== own) found.push(readRegistryFile({ file, origin: "external", workspace }));
    }
  return mergeRegistries([...found, { bypasses: await listBuiltInBypasses(ctx), refused: [] }]);
}

/** The built-in entries whose skill exists: for the owner everywhere, else in the workspaces that have it. */
async function listBuiltInBypasses(ctx: Pick<Context, "db" | "config">): Promise<readonly Bypass[]> {
  const owner = { home: ctx.config.home, userHome: thisMachine().userHome };
  const workspaces = await listWorkspacesSeen(ctx.db);
  return builtInRegistry().bypasses.flatMap((bypass) =>
    ownerHasSkill(bypass.skill, owner)
      ? [bypass]
      : workspaces
          .filter((workspace) => workspaceHasSkill(bypass.skill, workspace))
          .map((workspace) => ({ ...bypass, workspace })),
  );
}

const files = [join(".oldhand", "skills.json"), join(".claude", "learned-behavior.json")];
const none: Registry = { bypasses: [], refused: [] };

function readRegistryFile(source: RegistrySource): Registry {
  const read = readPlainFile(source.file, { within: source.workspace ?? undefined });
  if (read.kind === "missing") return none;
  if (read.kind === "refused") return { bypasses: [], refused: [`${source.file}: ${read.why}`] };
  const parsed = tryParseJson(read.text);
  return parsed === undefined
    ? { bypasses: [], refused: [`${source.file}: it is not JSON`] }
    : readRegistry(parsed, source);
}
