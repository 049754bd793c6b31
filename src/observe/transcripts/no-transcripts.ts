import { OldhandError } from "../../lib/errors.ts";
import type { Setup } from "../protocol/host.ts";

/** For hosts whose transcript format is unknown: none are found, and reading one throws. */
export const noTranscripts: Pick<Setup, "transcripts" | "readTranscript"> = {
  transcripts: () => [],
  readTranscript: (path) => {
    throw new OldhandError("input", `${path} cannot be read: the transcript format of this host is unknown`, {
      hint: "events of its hooks are stored as they happen",
    });
  },
};

export function canReadTranscripts(setup: Pick<Setup, "readTranscript">): boolean {
  return setup.readTranscript !== noTranscripts.readTranscript;
}
