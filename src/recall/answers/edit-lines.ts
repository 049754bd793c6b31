import { askedPath } from "../../domain/cause/missing-path.ts";
import { editsIn } from "../../domain/text/edit-text.ts";
import { linesOf, nearLines } from "../../domain/text/near-lines.ts";
import type { Around, Failure, Finding } from "./answer.ts";
import { shortened } from "./near-paths.ts";
import { openPath, textOf } from "./open-file.ts";

/** For a text that an edit did not find, or found more than once: the lines of the file that are like it, or where it stands. */
export async function editLines(around: Around, failure: Failure): Promise<Finding | null> {
  const asked = patchedFile(failure.error) ?? askedPath(failure.call, failure.cause, failure.error)?.path ?? null;
  const from = failure.call.cwd === null ? [] : [failure.call.cwd];
  const open = asked === null ? null : await openPath(around, asked, from);
  if (open === null || open.isFolder || open.size > LARGEST) return null;
  const text = textOf(open.full, LARGEST);
  if (text === null) return null;
  for (const wanted of wantedTexts(failure)) {
    const places = linesOf(text, wanted, MOST_PLACES);
    const told = places.length > 1 ? manyPlaces(text, places) : places.length === 1 ? null : likeIt(text, wanted);
    if (told !== null) return { ...told, label: `${shortened(open.within)} ${told.label}` };
  }
  return null;
}

const LARGEST = 1_000_000;
const MOST_PLACES = 40;

/** What was looked for: the texts an edit takes out, or the lines of which a patch says that they are not there. */
function wantedTexts({ call, error, cause }: Failure): readonly string[] {
  const lines = /Failed to find (?:expected lines|context) (?:in \S+:\n([^]+)|'([^]+?)' in )/.exec(error);
  const told = lines?.[1] ?? lines?.[2];
  const edits = editsIn(call.input).map((edit) => edit.before);
  const wanted = told === undefined ? edits : [told.replace(/\n+$/, ""), ...edits];
  return cause.kind === "not-unique" ? edits : wanted.filter((one) => one.trim() !== "");
}

function patchedFile(error: string): string | null {
  return /Failed to find (?:expected lines|context) (?:'[^]+?' )?in (\S+?):?(?:\n|$)/.exec(error)?.[1] ?? null;
}

/** Each with the line before it: more lines make the text one of a kind. */
function manyPlaces(text: string, places: readonly number[]): Finding {
  const lines = text.split("\n");
  const shown = places.slice(0, 5);
  const before = (line: number) =>
    (lines.slice(0, line - 1).findLast((one) => one.trim() !== "") ?? "").trim().slice(0, 45);
  return {
    label: `contains that text ${places.length === MOST_PLACES ? "40 or more" : places.length} times, on lines ${places.slice(0, 10).join(", ")}`,
    lines: shown.map((line) => `${line}: after ${before(line)}`),
    offers: { file: null, texts: shown.map(before).filter((one) => one.length > 5) },
  };
}

function likeIt(text: string, wanted: string): Finding | null {
  const near = nearLines(text, wanted);
  if (near === null) return null;
  const lines = text.split("\n");
  const only = near.only === null ? "" : `; only ${near.only} ${near.only === "line ends" ? "differ" : "differs"}`;
  const range = near.first === near.last ? `line ${near.first} is` : `lines ${near.first}-${near.last} are`;
  const count = Math.min(MOST_SHOWN, near.last - near.differs + 1);
  const from = count >= 2 || near.differs === near.first ? near.differs : near.differs - 1;
  const shown = lines.slice(from - 1, Math.max(from, Math.min(near.last, from + MOST_SHOWN - 1)));
  return {
    label: `${range} like that text${only}`,
    lines: shown.map((line, at) => `${from + at}: ${visible(line, near.only !== null)}`),
    offers: { file: null, texts: shown.map((line) => line.trim()).filter((line) => line.length > 5) },
  };
}

const MOST_SHOWN = 6;

/** As it stands; where white space is what differs, so that it is seen. */
function visible(line: string, showSpace: boolean): string {
  const cut = line.replace(/\r$/, showSpace ? "\\r" : "").slice(0, 110);
  return showSpace ? cut.replace(/^\s+/, (space) => space.replaceAll("\t", "\\t")) : cut;
}
