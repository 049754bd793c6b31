import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readPlainText } from "../../lib/plain-file.ts";
import { isWithin } from "../../lib/within.ts";

/** The folders with the owner's skills on this machine. */
export interface OwnerHomes {
  readonly home: string;
  readonly userHome: string;
}

/** The texts of all available skills; a skill covers the commands it names. A workspace's skills must lie inside it. */
export function readSkillTexts(workspaces: readonly string[], owner: OwnerHomes): readonly string[] {
  return [
    ...listOwnFolders(owner).flatMap((folder) => listSkills(folder)),
    ...workspaces.flatMap((workspace) => listFoldersAt(workspace).flatMap((folder) => listSkills(folder, workspace))),
  ];
}

export function ownerHasSkill(skill: string, owner: OwnerHomes): boolean {
  return listOwnFolders(owner).some((folder) => isSkill(join(folder, skill)));
}

export function workspaceHasSkill(skill: string, workspace: string): boolean {
  return listFoldersAt(workspace).some((folder) => isSkill(join(folder, skill)) && isWithin(folder, workspace));
}

function listOwnFolders({ home, userHome }: OwnerHomes): readonly string[] {
  return [join(home, "skills"), ...listFoldersAt(userHome)];
}

function listFoldersAt(place: string): readonly string[] {
  return [join(place, ".claude", "skills"), join(place, ".agents", "skills")];
}

function isSkill(folder: string): boolean {
  return existsSync(join(folder, "SKILL.md"));
}

function listSkills(folder: string, within?: string): readonly string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  if (within !== undefined && !isWithin(folder, within)) return [];
  return readdirSync(folder)
    .toSorted()
    .slice(0, MOST_SKILLS)
    .map((name) => readPlainText(join(folder, name, "SKILL.md"), { within }))
    .filter((text) => text !== null);
}

const MOST_SKILLS = 500;
