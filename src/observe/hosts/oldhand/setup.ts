import type { Setup } from "../../protocol/host.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

/** It is part of oldhand: there is nothing to find, to install or to import. */
export const oldhandSetup: Setup = { detect: () => null, plan: () => [], ...noTranscripts };
