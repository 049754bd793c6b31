import { oneLine, plural } from "../../lib/text.ts";
import type { Detail, DetailKind, SpokenText } from "./details.ts";

/** A summary without a model: what was wanted, what was done, what was decided, what is open. */
export function summarisePlainly(texts: readonly SpokenText[], details: readonly Detail[]): string {
  const wanted = texts.filter(({ by }) => by === "person").map(({ text }) => oneLine(text, 300));
  const answers = texts.filter(({ by, text }) => by === "agent" && text.trim() !== "");
  const [first, last] = [wanted.at(0), wanted.at(-1)];
  const calls = texts.filter(({ by }) => by === "call").length;
  return [
    "(Made without a model.)",
    ...(first === undefined ? [] : [`Goal: ${first}`]),
    ...(last === undefined || last === first ? [] : [`Last wanted: ${last}`]),
    `Done: ${plural(calls, "tool call")}.`,
    ...listNewest("Files", pick(details, "path"), 20),
    ...listNewest("Decisions", pick(details, "decision"), 12),
    ...listNewest("Open questions", pick(details, "question"), 5),
    ...answers.slice(-1).map(({ text }) => `The agent wrote last: ${oneLine(text, 500)}`),
  ].join("\n");
}

function pick(details: readonly Detail[], kind: DetailKind): readonly string[] {
  return details
    .filter((one) => one.kind === kind)
    .toSorted((a, b) => a.last - b.last)
    .map(({ text }) => text);
}

function listNewest(label: string, texts: readonly string[], most: number): readonly string[] {
  if (texts.length === 0) return [];
  const newest = texts.slice(-most);
  return label === "Files" ? [`${label}: ${newest.join(", ")}`] : [`${label}:`, ...newest.map((text) => `- ${text}`)];
}
