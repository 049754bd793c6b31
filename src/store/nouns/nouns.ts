import { goalNoun } from "./goals.ts";
import { jobNoun } from "./jobs.ts";
import { identityNoun } from "./identities.ts";
import { identityProposalNoun } from "./identity-proposals.ts";
import { mistakeNoun, winNoun } from "./ledger.ts";
import { capNoun } from "./caps.ts";
import { memoryNoun } from "./memories.ts";
import type { Noun } from "./noun.ts";
import { overrideNoun } from "./overrides.ts";
import { retiredModelNoun } from "./retired-models.ts";
import { routePreferenceNoun } from "./route-preferences.ts";
import { ruleNoun } from "./rules.ts";
import { settingNoun } from "./settings.ts";
import { taskNoun } from "./tasks.ts";

export const nouns: readonly Noun[] = [
  ruleNoun,
  mistakeNoun,
  winNoun,
  memoryNoun,
  overrideNoun,
  identityNoun,
  identityProposalNoun,
  capNoun,
  retiredModelNoun,
  routePreferenceNoun,
  settingNoun,
  jobNoun,
  goalNoun,
  taskNoun,
];
