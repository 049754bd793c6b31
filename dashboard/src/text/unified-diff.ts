export type DiffLine = {
  readonly kind: "same" | "added" | "removed" | "gap";
  readonly text: string;
};

/** The lines of a unified diff, without its head. A `gap` line marks omitted lines. */
export function parseDiffLines(diff: string): readonly DiffLine[] {
  const lines = diff.split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@"));
  if (start === -1) return [];
  return lines.slice(start).map((line) => {
    if (line.startsWith("@@")) return { kind: "gap", text: parseGapPosition(line) };
    return { kind: kinds[line[0] ?? " "] ?? "same", text: line.slice(1) };
  });
}

const kinds: Readonly<Record<string, DiffLine["kind"]>> = { "+": "added", "-": "removed" };

function parseGapPosition(line: string): string {
  const from = /\+(\d+)/.exec(line)?.[1];
  return from === undefined ? "" : `from line ${from}`;
}
