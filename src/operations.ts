import type { Operation } from "./operation.ts";
import { exportOperations } from "./operations/export.ts";
import { distilOperations } from "./operations/distil.ts";
import { adviceOperations } from "./operations/advice.ts";
import { forgetOperations } from "./operations/forget.ts";
import { hostOperations } from "./operations/hosts.ts";
import { importRulesOperations } from "./operations/import-rules.ts";
import { journalOperations } from "./operations/journal.ts";
import { ledgerOperations } from "./operations/ledger.ts";
import { liveOperations } from "./operations/live.ts";
import { memoryOperations } from "./operations/memories.ts";
import { memoryUpkeepOperations } from "./operations/memory-upkeep.ts";
import { mindOperations } from "./operations/mind.ts";
import { recallOperations } from "./operations/recall.ts";
import { ruleEvidenceOperations } from "./operations/rule-evidence.ts";
import { ruleOperations } from "./operations/rules.ts";
import { upkeepOperations } from "./operations/upkeep.ts";
import { searchOperations } from "./operations/search.ts";
import { sessionOperations } from "./operations/sessions.ts";
import { initOperations } from "./operations/init.ts";
import { soulProposalOperations } from "./operations/soul-proposals.ts";
import { soulOperations } from "./operations/soul.ts";

/** The one list of what oldhand can do. */
export const operations: readonly Operation[] = [
  ...mindOperations,
  ...hostOperations,
  ...sessionOperations,
  ...searchOperations,
  ...liveOperations,
  ...ruleOperations,
  ...ruleEvidenceOperations,
  ...upkeepOperations,
  ...distilOperations,
  ...ledgerOperations,
  ...memoryOperations,
  ...forgetOperations,
  ...recallOperations,
  ...adviceOperations,
  ...memoryUpkeepOperations,
  ...initOperations,
  ...soulOperations,
  ...soulProposalOperations,
  ...exportOperations,
  ...importRulesOperations,
  ...journalOperations,
];
