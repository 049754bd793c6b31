import type { Operation } from "./operation.ts";
import { adviceOperations } from "./operations/advice.ts";
import { hostOperations } from "./operations/hosts.ts";
import { journalOperations } from "./operations/journal.ts";
import { ledgerOperations } from "./operations/ledger.ts";
import { liveOperations } from "./operations/live.ts";
import { memoryOperations } from "./operations/memories.ts";
import { memoryUpkeepOperations } from "./operations/memory-upkeep.ts";
import { mindOperations } from "./operations/mind.ts";
import { recallOperations } from "./operations/recall.ts";
import { ruleOperations } from "./operations/rules.ts";
import { sessionOperations } from "./operations/sessions.ts";

/** The one list of what oldhand can do. */
export const operations: readonly Operation[] = [
  ...mindOperations,
  ...hostOperations,
  ...sessionOperations,
  ...liveOperations,
  ...ruleOperations,
  ...ledgerOperations,
  ...memoryOperations,
  ...recallOperations,
  ...adviceOperations,
  ...memoryUpkeepOperations,
  ...journalOperations,
];
