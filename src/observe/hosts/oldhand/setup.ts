import type { Setup } from "../../protocol/host.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

/** It is part of oldhand, so there is nothing to detect, install or import. */
export const oldhandSetup: Setup = { detect: () => null, plan: () => [], ...noTranscripts };
