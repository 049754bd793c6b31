import { detectCause, type FailureCause } from "../cause/cause.ts";
import { unwrapHostText } from "../event/host-text.ts";
import { isShellTool } from "../shell/command.ts";
import type { Need, Sighting } from "./fact.ts";
import { mayShowFact } from "./may-show.ts";
import { type LocatedCall, findCallNeeds } from "./call-needs.ts";
import { lastSegment } from "./resolve-path.ts";
import { parseScriptSubject } from "./scripts.ts";

/**
 * Returns what a failed call shows about its workspace. Only things that the call named, because only by those can a
 * later call be recognised.
 */
export function findFactsInFailure(call: LocatedCall, error: string): readonly Sighting[] {
  if (!mayShowFact(error)) return [];
  const { needs } = findCallNeeds(call);
  if (needs.length === 0) return [];
  if (!isShellTool(call.tool)) {
    const cause = detectCause(call, error);
    return cause === null ? [] : needs.slice(0, 1).flatMap((need) => ofTool(cause, need));
  }
  const found = new Map<string, Sighting>();
  for (const line of linesOf(error))
    for (const one of ofLine(call, line, needs)) found.set(`${one.kind} ${one.subject}`, one);
  return [...found.values()];
}

function ofTool({ kind }: FailureCause, need: Need): readonly Sighting[] {
  const { subject, by } = need;
  if (kind === "missing-path" || kind === "is-folder" || kind === "too-large")
    return [{ kind, subject, name: lastSegment(subject), by }];
  return [];
}

const MOST_LINES = 40;

function linesOf(error: string): readonly string[] {
  return unwrapHostText(error, null, true).body.split("\n").slice(0, MOST_LINES).filter(mayShowFact);
}

function ofLine(call: LocatedCall, line: string, needs: readonly Need[]): readonly Sighting[] {
  const [, ...named] = REMOTE.exec(line) ?? [];
  const remote = named.find((one) => one !== undefined);
  if (remote !== undefined)
    return sightings(
      "unknown-remote",
      needs.filter((need) => need.is === "remote" && isMeant(need, remote)),
    );
  const cause = detectCause(call, line);
  if (cause === null) return [];
  const { kind, thing } = cause;
  const paths = needs.filter((need) => need.is === "path" || need.is === "file");
  if (kind === "missing-path" || kind === "wrong-folder")
    return sightings(
      "missing-path",
      paths.filter((need) => (thing === null ? line.includes(lastSegment(need.subject)) : isMeant(need, thing))),
    );
  if (kind === "is-folder")
    return sightings(
      "is-folder",
      paths.filter((need) => need.is === "file" && line.includes(lastSegment(need.subject))),
    );
  if (kind === "missing-program" && thing !== null) {
    if (thing.includes("/"))
      return sightings(
        "missing-path",
        paths.filter((need) => isMeant(need, thing)),
      );
    return sightings(
      "missing-program",
      needs.filter((need) => need.is === "program" && need.subject === thing),
    );
  }
  if (kind === "unknown-script" && thing !== null)
    return sightings(
      "unknown-script",
      needs.filter((need) => need.is === "script" && parseScriptSubject(need.subject).script === thing),
    );
  return [];
}

const REMOTE =
  /^(?:fatal: |error: |GraphQL: )?(?:["']([^"']+)["'] does not appear to be a git repository)|^(?:fatal|error): (?:No such remote:? ["']?|repository ["'])([^"'\s]+)|Could not resolve to a Repository with the name ["']([^"']+)/;

/** The error may contain the absolute path or the path as written. */
function isMeant({ subject }: Need, thing: string): boolean {
  const bare = thing.replace(/^\.\//, "").replace(/\/+$/, "");
  return subject === bare || subject.endsWith(`/${bare.replace(/^(?:\.\.\/)+/, "")}`);
}

function sightings(kind: Sighting["kind"], needs: readonly Need[]): readonly Sighting[] {
  return needs.slice(0, 3).map(({ subject, by }) => ({ kind, subject, by, name: wordOf(kind, subject) }));
}

function wordOf(kind: Sighting["kind"], subject: string): string {
  return kind === "unknown-script" ? parseScriptSubject(subject).script : lastSegment(subject);
}
