import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { plainTextOf } from "../lib/plain-file.ts";
import { isWithin } from "../lib/within.ts";

/** Whose skills: the owner's on this machine, and those that lie in a workspace. */
export interface Owner {
  readonly home: string;
  readonly userHome: string;
}

/** What the skills at hand say; a skill covers the commands that it names. Those of a workspace lie within it. */
export function skillTexts(workspaces: readonly string[], owner: Owner): readonly string[] {
  return [
    ...ownFolders(owner).flatMap((folder) => skillsIn(folder)),
    ...workspaces.flatMap((workspace) => foldersAt(workspace).flatMap((folder) => skillsIn(folder, workspace))),
  ];
}

export function ownerHasSkill(skill: string, owner: Owner): boolean {
  return ownFolders(owner).some((folder) => isSkill(join(folder, skill)));
}

export function workspaceHasSkill(skill: string, workspace: string): boolean {
  return foldersAt(workspace).some((folder) => isSkill(join(folder, skill)) && isWithin(folder, workspace));
}

function ownFolders({ home, userHome }: Owner): readonly string[] {
  return [join(home, "skills"), ...foldersAt(userHome)];
}

function foldersAt(place: string): readonly string[] {
  return [join(place, ".claude", "skills"), join(place, ".agents", "skills")];
}

function isSkill(folder: string): boolean {
  return existsSync(join(folder, "SKILL.md"));
}

function skillsIn(folder: string, within?: string): readonly string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  if (within !== undefined && !isWithin(folder, within)) return [];
  return readdirSync(folder)
    .toSorted()
    .slice(0, MOST_SKILLS)
    .map((name) => plainTextOf(join(folder, name, "SKILL.md"), { within }))
    .filter((text) => text !== null);
}

const MOST_SKILLS = 500;
