import { findRequestedPath } from "../../domain/cause/missing-path.ts";
import { findEdits } from "../../domain/text/edit-text.ts";
import { findLineNumbers, findNearLines } from "../../domain/text/near-lines.ts";
import type { AnswerLookup, Failure, FailureAnswer } from "./answer.ts";
import { shortenPath } from "./near-paths.ts";
import { openWorkspacePath, readFileStart } from "./open-file.ts";

/** For a text that an edit did not find, or found more than once: similar lines of the file, or the line numbers. */
export async function findEditLines(around: AnswerLookup, failure: Failure): Promise<FailureAnswer | null> {
  const path =
    findPatchedFile(failure.error) ?? findRequestedPath(failure.call, failure.cause, failure.error)?.path ?? null;
  const from = failure.call.cwd === null ? [] : [failure.call.cwd];
  const open = path === null ? null : await openWorkspacePath(around, path, from);
  if (open === null || open.isFolder || open.size > LARGEST) return null;
  const text = readFileStart(open.full, LARGEST);
  if (text === null) return null;
  for (const wanted of listWantedTexts(failure)) {
    const places = findLineNumbers(text, wanted, MOST_PLACES);
    const answer =
      places.length > 1
        ? answerManyPlaces(text, wanted, places)
        : places.length === 1
          ? null
          : answerSimilarLines(text, wanted);
    if (answer !== null) return { ...answer, label: `${shortenPath(open.within)} ${answer.label}` };
  }
  return null;
}

const LARGEST = 1_000_000;
const MOST_PLACES = 40;

/** The texts that the edit replaces, or the lines that a patch did not find. */
function listWantedTexts({ call, error, cause }: Failure): readonly string[] {
  const lines = /Failed to find (?:expected lines|context) (?:in \S+:\n([^]+)|'([^]+?)' in )/.exec(error);
  const missingLines = lines?.[1] ?? lines?.[2];
  const edits = findEdits(call.input).map((edit) => edit.before);
  const wanted = missingLines === undefined ? edits : [missingLines.replace(/\n+$/, ""), ...edits];
  return cause.kind === "not-unique" ? edits : wanted.filter((one) => one.trim() !== "");
}

function findPatchedFile(error: string): string | null {
  return /Failed to find (?:expected lines|context) (?:'[^]+?' )?in (\S+?):?(?:\n|$)/.exec(error)?.[1] ?? null;
}

/** Each place with an adjacent line: with it, the text becomes unique. */
function answerManyPlaces(text: string, wanted: string, places: readonly number[]): FailureAnswer {
  const lines = text.split("\n").map((line) => line.trim().slice(0, 45));
  const height = wanted.replace(/\n$/, "").split("\n").length;
  const shown = places.slice(0, 5);
  const above = shown.map((line) => lines[line - 2] ?? "");
  const below = shown.map((line) => lines[line - 1 + height] ?? "");
  const isUnique = (beside: readonly string[], at: number) =>
    beside[at] !== "" && beside.filter((one) => one === beside[at]).length === 1;
  const placed = shown.map((line, at) => {
    // An adjacent line that other places share distinguishes the least.
    if (isUnique(above, at) || (above[at] !== "" && !isUnique(below, at))) return `${line}: after ${above[at]}`;
    if (below[at] !== "") return `${line}: before ${below[at]}`;
    return `${line}: ${line === 1 ? "the first line of the file" : "between blank lines"}`;
  });
  return {
    label: `contains that text ${places.length === MOST_PLACES ? "40 or more" : places.length} times, on lines ${places.slice(0, 10).join(", ")}`,
    lines: placed,
    offers: { file: null, texts: [...above, ...below].filter((one) => one.length > 5) },
  };
}

function answerSimilarLines(text: string, wanted: string): FailureAnswer | null {
  const near = findNearLines(text, wanted);
  if (near === null) return null;
  const lines = text.split("\n");
  const only = near.only === null ? "" : `; only ${near.only} ${near.only === "line ends" ? "differ" : "differs"}`;
  const range = near.first === near.last ? `line ${near.first} is` : `lines ${near.first}-${near.last} are`;
  const count = Math.min(MOST_SHOWN, near.last - near.differs + 1);
  const from = count >= 2 || near.differs === near.first ? near.differs : near.differs - 1;
  const shown = lines.slice(from - 1, Math.max(from, Math.min(near.last, from + MOST_SHOWN - 1)));
  return {
    label: `${range} like that text${only}`,
    lines: shown.map((line, at) => `${from + at}: ${showWhitespace(line, near.only !== null)}`),
    offers: { file: null, texts: shown.map((line) => line.trim()).filter((line) => line.length > 5) },
  };
}

const MOST_SHOWN = 6;

/** Makes white space visible if it is what differs. */
function showWhitespace(line: string, showSpace: boolean): string {
  const cut = line.replace(/\r$/, showSpace ? "\\r" : "").slice(0, 110);
  return showSpace ? cut.replace(/^\s+/, (space) => space.replaceAll("\t", "\\t")) : cut;
}
