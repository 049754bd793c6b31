import { parseCommands, isShellTool } from "../shell/command.ts";
import { findShellText } from "../shell/shell-text.ts";
import { findOtherSettings, findOtherSurroundings } from "../shell/surroundings.ts";
import type { Need, Sighting } from "./fact.ts";
import { type LocatedCall, findCallNeeds } from "./call-needs.ts";
import { haveSameWords, isSameScript, isTypoOf } from "../text/same-words.ts";
import { changesTarget, mayOfferScript } from "../text/target-change.ts";
import { lastSegment } from "./resolve-path.ts";
import { parseScriptSubject } from "./scripts.ts";

/** A call farther away than this has another purpose. */
export const MAX_ALTERNATIVE_DISTANCE = 8;

/**
 * Returns what a later successful call used in place of the missing thing, or null. Another target is none, and so is
 * what another act used.
 */
export function findFactAlternative(fact: Sighting, failed: LocatedCall, worked: LocatedCall): string | null {
  if (isInOtherAct(fact, failed, worked)) return null;
  const other = findAlternative(fact, failed, worked);
  return other === null || changesTarget(other, fact.subject) ? null : other;
}

/** Where a thing is does not depend on the shell around the call, but may depend on its variables. */
function isInOtherAct({ kind }: Sighting, failed: LocatedCall, worked: LocatedCall): boolean {
  const [before, after] = [failed, worked].map(({ tool, input }) => (isShellTool(tool) ? findShellText(input) : null));
  if (before == null || after == null) return false;
  const isOfPath = kind === "missing-path" || kind === "too-large";
  return (isOfPath ? findOtherSettings(before, after) : findOtherSurroundings(before, after)) !== null;
}

function findAlternative(fact: Sighting, failed: LocatedCall, worked: LocatedCall): string | null {
  switch (fact.kind) {
    case "missing-path":
      return pathInstead(fact, findCallNeeds(worked).needs);
    case "unknown-script":
      return scriptInstead(fact, findCallNeeds(worked).needs);
    case "missing-program":
      return programInstead(fact, failed, worked);
    case "too-large":
      return worked.tool === failed.tool && samePart(fact, worked) ? "a part of it" : null;
    case "is-folder":
    case "unknown-remote":
      return null;
  }
}

/** The same name in another folder. */
function pathInstead({ subject }: Sighting, needs: readonly Need[]): string | null {
  const other = needs.find(
    (need) =>
      (need.is === "path" || need.is === "file") && need.surely && lastSegment(need.subject) === lastSegment(subject),
  );
  return other === undefined || other.subject === subject ? null : other.subject;
}

/** `lint:all` for `lint`, in the same manifest; else the same script of another package, as a subject. */
function scriptInstead({ subject }: Sighting, needs: readonly Need[]): string | null {
  const { manifest, script, of } = parseScriptSubject(subject);
  const scripts = needs.filter((need) => need.is === "script");
  const elsewhere = scripts.find(
    (need) =>
      need.subject !== subject && need.subject.endsWith(`#${script}`) && of === null && mayOfferScript(script, ""),
  );
  const others = scripts.map((need) => parseScriptSubject(need.subject));
  const other = others.find(
    (one) => one.manifest === manifest && one.of === of && one.script !== script && isSameScript(one.script, script),
  );
  return other?.script ?? elsewhere?.subject ?? null;
}

/** `python3 x.py` for `python x.py`: the same arguments with another program. */
function programInstead({ subject }: Sighting, failed: LocatedCall, worked: LocatedCall): string | null {
  const rest = commandsIn(failed)
    .find((command) => command.words[0] === subject)
    ?.words.slice(1)
    .join(" ");
  if (rest === undefined || rest === "") return null;
  for (const { words } of commandsIn(worked)) {
    const text = words.join(" ");
    const before = text.endsWith(` ${rest}`) ? text.slice(0, -rest.length - 1) : "";
    if (before !== "" && before !== subject && words[0] !== subject && isSameProgram(before, subject)) return before;
  }
  return null;
}

/** The program under another name or in another place: `python3`, `.venv/bin/pip`, `npx jest`, `docker compose`. */
export function isSameProgram(words: string, program: string): boolean {
  const last = words.split(/[\s/]+/).at(-1) ?? "";
  const bare = (name: string) => name.replace(/[-.]?\d[\d.]*$/, "");
  if (words.length > 40) return false;
  return haveSameWords(words, program) || bare(last) === bare(program) || isTypoOf(program, last);
}

function commandsIn({ tool, input }: LocatedCall) {
  return isShellTool(tool) ? parseCommands(findShellText(input) ?? "") : [];
}

function samePart({ subject }: Sighting, worked: LocatedCall): boolean {
  return findCallNeeds(worked).needs.some((need) => need.subject === subject && need.whole === false);
}
