import type { Operation } from "./operation.ts";
import { hostOperations } from "./operations/hosts.ts";
import { journalOperations } from "./operations/journal.ts";
import { liveOperations } from "./operations/live.ts";
import { mindOperations } from "./operations/mind.ts";
import { ruleOperations } from "./operations/rules.ts";
import { searchOperations } from "./operations/search.ts";
import { sessionOperations } from "./operations/sessions.ts";

/** The one list of what oldhand can do. */
export const operations: readonly Operation[] = [
  ...mindOperations,
  ...hostOperations,
  ...sessionOperations,
  ...searchOperations,
  ...liveOperations,
  ...ruleOperations,
  ...journalOperations,
];
