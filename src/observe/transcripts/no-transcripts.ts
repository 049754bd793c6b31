import { OldhandError } from "../../lib/errors.ts";
import type { Setup } from "../protocol/host.ts";

/** For hosts whose own records nobody has described: nothing is found, and what is handed in is refused. */
export const noTranscripts: Pick<Setup, "transcripts" | "readTranscript"> = {
  transcripts: () => [],
  readTranscript: (path) => {
    throw new OldhandError("input", `${path} cannot be read: the format of this host's transcripts is not known`, {
      hint: "what its hooks tell is stored as it happens",
    });
  },
};

export function canReadTranscripts(setup: Pick<Setup, "readTranscript">): boolean {
  return setup.readTranscript !== noTranscripts.readTranscript;
}
