import { OldhandError } from "../../lib/errors.ts";
import type { Finding, Host, Place, PlannedFile } from "../protocol/host.ts";
import { entriesIn } from "../wiring/entries.ts";
import { hostTextSeen } from "../wiring/host-file.ts";

/** A place in which hooks of ours stand: their user's, one repository's, or a file that somebody wrote by hand. */
interface Wiring {
  readonly name: string;
  readonly paths: readonly string[];
  /** What takes it out. */
  readonly remedy: string;
}

/** A host that has our hooks in more than one place tells of everything as often. It is heard once, but pays for each. */
export async function wiredTwice(host: Host, place: Place, projects: readonly string[]): Promise<readonly Finding[]> {
  const setup = await host.setup();
  const planned = (where: Partial<Place>): readonly PlannedFile[] => {
    try {
      return setup.plan({ ...place, ...where });
    } catch (error) {
      // What cannot be read is another finding.
      if (!(error instanceof OldhandError)) throw error;
      return [];
    }
  };
  const own = planned({ project: null });
  const others = setup.hookFiles?.(place) ?? [];
  const isPlugin = own.some((file) => file.way === "plugin");
  const byHand = (path: string): Wiring => ({
    name: path,
    paths: [path],
    remedy: `take the hooks that end in "hook ${host.name}" out of ${path}`,
  });
  const found: Wiring[] = [
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
  const seen = new Set<string>();
  const wirings = found.filter(({ paths }) => {
    const mine = paths.filter((path) => !seen.has(path));
    for (const path of mine) seen.add(path);
    return mine.some((path) => tells(host.name, path));
  });
  if (wirings.length < 2) return [];
  const names = wirings.map(({ name }) => name).join(", ");
  return [
    {
      level: "note",
      what: `${host.title}: its hooks are installed in ${wirings.length} places: ${names}. All of them run; each event is stored once. Remove ${wirings.length === 2 ? "one" : "all but one"}:`,
      hint: wirings
        .slice(1)
        .map(({ remedy }) => remedy)
        .join("; "),
    },
  ];
}

/** Hooks of a team are silent where their user has hooks everywhere. */
function tells(host: string, path: string): boolean {
  const text = hostTextSeen(path);
  if (text === null) return false;
  return entriesIn(host, [{ path, text }]).some(
    (entry) => entry.kind !== "server" && !(entry.kind === "command" && entry.command.includes(" --team ")),
  );
}
