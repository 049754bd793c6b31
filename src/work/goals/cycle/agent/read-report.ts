import { extractMarkers } from "../../../../domain/memory/markers.ts";
import { redact } from "../../../../domain/redact/redact.ts";
import { cap } from "../../../../lib/text.ts";

export const blockNeeds = ["credential", "person", "other"] as const;
export type BlockNeed = (typeof blockNeeds)[number];

/** What an agent says at the end of its work, without its markers, and what the markers say. No secret is in it. */
export interface TaskReport {
  readonly text: string;
  readonly strategy: string | null;
  readonly blocked: { readonly reason: string; readonly needs: BlockNeed } | null;
  readonly answers: readonly { readonly comment: string; readonly text: string }[];
  readonly commitMessage: string | null;
}

export function readReport(said: string): TaskReport {
  const { shown, markers } = extractMarkers(said);
  const of = (name: string) => markers.flatMap((one) => (one.name === name && one.data !== null ? [one.data] : []));
  const [blocked] = of("BLOCKED");
  return {
    text: cap(redact(shown.trim()), MOST_CHARACTERS),
    strategy: textIn(of("STRATEGY").at(-1), "name", 200),
    blocked:
      blocked === undefined
        ? null
        : {
            reason: textIn(blocked, "reason", 500) ?? "the agent cannot do it, and does not say why",
            needs: blockNeeds.find((one) => one === blocked["needs"]) ?? "other",
          },
    answers: of("ANSWER").flatMap((data) => {
      const [comment, text] = [textIn(data, "comment", 100), textIn(data, "text", 2_000)];
      return comment === null || text === null ? [] : [{ comment, text }];
    }),
    commitMessage: textIn(of("COMMIT").at(-1), "message", 2_000),
  };
}

const MOST_CHARACTERS = 4_000;

function textIn(data: Readonly<Record<string, unknown>> | undefined, key: string, most: number): string | null {
  const value = data?.[key];
  return typeof value === "string" && value.trim() !== "" ? redact(value.trim()).slice(0, most) : null;
}
