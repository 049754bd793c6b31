import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { BlockMarks } from "../../lib/marked-block.ts";
import type { Host, RulesFile } from "../protocol/host.ts";

/** The text between these is ours; the rest of the file is its owner's. */
export const rulesMarks: BlockMarks = { begin: "<!-- oldhand:begin -->", end: "<!-- oldhand:end -->" };
/** The same for settings files, where comments begin with `#`. */
export const settingMarks: BlockMarks = { begin: "# oldhand:begin", end: "# oldhand:end" };

/** The file that most hosts read. */
export function listAgentsFile(): readonly RulesFile[] {
  return [{ path: "AGENTS.md" }];
}

export interface SharedRulesFile extends RulesFile {
  /** The hosts that read it. */
  readonly hosts: readonly string[];
  readonly absolute: string;
}

/** The rules files of these hosts. A file that several share, by name or through a link, is returned once. */
export async function listRulesFiles(hosts: readonly Host[], workspace: string): Promise<readonly SharedRulesFile[]> {
  const files = new Map<string, SharedRulesFile>();
  for (const host of hosts) {
    for (const file of (await host.setup()).rulesFiles?.(workspace) ?? []) {
      const absolute = join(workspace, file.path);
      const real = existsSync(absolute) ? realpathSync(absolute) : absolute;
      const known = files.get(real) ?? { ...file, absolute, hosts: [] };
      files.set(real, { ...known, hosts: [...known.hosts, host.name] });
    }
  }
  return [...files.values()];
}
