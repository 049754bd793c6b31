import { OldhandError } from "../../lib/errors.ts";
import type { Finding, Host, InstallTarget, PlannedFile } from "../protocol/host.ts";
import { findHookEntries } from "../wiring/entries.ts";
import { readHostFileTextIfReadable } from "../wiring/host-file.ts";

/** A place with our hooks: the user's files, one repository's, or a file written by hand. */
interface HookLocation {
  readonly name: string;
  readonly paths: readonly string[];
  /** How to remove it. */
  readonly remedy: string;
}

/**
 * If our hooks are in more than one place, the host runs all of them. Events are stored once, but each run costs
 * time.
 */
export async function findDuplicateHooks(
  host: Host,
  target: InstallTarget,
  projects: readonly string[],
): Promise<readonly Finding[]> {
  const setup = await host.setup();
  const planned = (where: Partial<InstallTarget>): readonly PlannedFile[] => {
    try {
      return setup.plan({ ...target, ...where });
    } catch (error) {
      // A file that cannot be read is reported by another finding.
      if (!(error instanceof OldhandError)) throw error;
      return [];
    }
  };
  const own = planned({ project: null });
  const others = setup.hookFiles?.(target) ?? [];
  const isPlugin = own.some((file) => file.way === "plugin");
  const byHand = (path: string): HookLocation => ({
    name: path,
    paths: [path],
    remedy: `remove the hooks that end in "hook ${host.name}" from ${path}`,
  });
  const found: HookLocation[] = [
    {
      name: isPlugin ? "the plugin" : (own[0]?.path ?? ""),
      paths: own.map((file) => file.path).filter((path) => !isPlugin || !others.includes(path)),
      remedy: `oldhand uninstall ${host.name}`,
    },
    ...projects.map((project) => {
      const files = planned({ project, team: false });
      const remedy = `oldhand uninstall ${host.name} --project ${project}`;
      return { name: files[0]?.path ?? project, paths: files.map((file) => file.path), remedy };
    }),
    ...others.map(byHand),
  ];
  const known = new Set<string>();
  const distinct = found.filter(({ paths }) => {
    const mine = paths.filter((path) => !known.has(path));
    for (const path of mine) known.add(path);
    return mine.some((path) => hasOurEntry(host.name, path));
  });
  if (distinct.length < 2) return [];
  const names = distinct.map(({ name }) => name).join(", ");
  return [
    {
      level: "note",
      what: `${host.title}: its hooks are installed in ${distinct.length} places: ${names}. All of them run; each event is stored once. Remove ${distinct.length === 2 ? "one" : "all but one"}:`,
      hint: distinct
        .slice(1)
        .map(({ remedy }) => remedy)
        .join("; "),
    },
  ];
}

/** Team hooks do not count: they stay silent if the user has hooks everywhere. */
function hasOurEntry(host: string, path: string): boolean {
  const text = readHostFileTextIfReadable(path);
  if (text === null) return false;
  return findHookEntries(host, [{ path, text }]).some(
    (entry) => entry.kind !== "server" && !(entry.kind === "command" && entry.command.includes(" --team ")),
  );
}
