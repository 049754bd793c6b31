import type { z } from "zod";
import type { Operation } from "./operation.ts";
import { exportOperations } from "./operations/rules/export.ts";
import { distilOperations } from "./operations/rules/distil.ts";
import { adviceOperations } from "./operations/sessions/advice.ts";
import { factOperations } from "./operations/sessions/facts.ts";
import { answerOperations } from "./operations/sessions/answers.ts";
import { findOperations } from "./operations/find.ts";
import { workspaceOperations } from "./operations/sessions/workspaces.ts";
import { followOperations } from "./operations/sessions/follow.ts";
import { forgetOperations } from "./operations/forget.ts";
import { hostOperations } from "./operations/sessions/hosts.ts";
import { importRulesOperations } from "./operations/rules/import-rules.ts";
import { journalOperations } from "./operations/journal.ts";
import { ledgerOperations } from "./operations/ledger.ts";
import { liveOperations } from "./operations/sessions/live.ts";
import { memoryOperations } from "./operations/memory/memories.ts";
import { memoryMaintenanceOperations } from "./operations/memory/memory-maintenance.ts";
import { statusOperations } from "./operations/status.ts";
import { importOperations } from "./operations/import.ts";
import { settingOperations } from "./operations/settings.ts";
import { backupOperations } from "./operations/backup.ts";
import { recallOperations } from "./operations/memory/recall.ts";
import { ruleEvidenceOperations } from "./operations/rules/rule-evidence.ts";
import { ruleOperations } from "./operations/rules/rules.ts";
import { modelCapOperations } from "./operations/models/caps.ts";
import { modelCostOperations } from "./operations/models/costs.ts";
import { modelEvolveOperations } from "./operations/models/evolve.ts";
import { modelPriceOperations } from "./operations/models/prices.ts";
import { modelRouteOperations } from "./operations/models/route.ts";
import { modelStatOperations } from "./operations/models/stats.ts";
import { maintenanceOperations } from "./operations/maintenance.ts";
import { type HttpSearch, searchOperations } from "./operations/memory/search.ts";
import { entryOperations } from "./operations/sessions/entries.ts";
import { sessionOperations } from "./operations/sessions/sessions.ts";
import { todayOperations } from "./operations/sessions/today.ts";
import { trendOperations } from "./operations/sessions/trend.ts";
import { modelAddOperations } from "./operations/models/add.ts";
import { modelDefaultOperations } from "./operations/models/default.ts";
import { modelListOperations } from "./operations/models/list.ts";
import { modelTestOperations } from "./operations/models/test.ts";
import { initOperations } from "./operations/init.ts";
import { soulProposalOperations } from "./operations/identity/soul-proposals.ts";
import { soulOperations } from "./operations/identity/soul.ts";
import { commentOperations } from "./operations/goals/comments.ts";
import { goalHistoryOperations } from "./operations/goals/goal-history.ts";
import { letterOperations } from "./operations/goals/letter.ts";
import { nextOperations } from "./operations/goals/next.ts";
import { reflectOperations } from "./operations/goals/reflect.ts";
import { reflectionOperations } from "./operations/goals/reflections.ts";
import { cycleOperations } from "./operations/goals/cycle.ts";
import { executionLogOperations } from "./operations/goals/execution-log.ts";
import { snapshotOperations } from "./operations/goals/snapshots.ts";
import { goalToolOperations } from "./operations/goals/goal-tool.ts";
import { goalOperations } from "./operations/goals/goals.ts";
import { taskOperations } from "./operations/goals/tasks.ts";
import { jobOperations } from "./operations/work/jobs.ts";
import { pauseOperations } from "./operations/work/pauses.ts";
import { jobStatusOperations } from "./operations/work/job-status.ts";
import { approvalOperations } from "./operations/approvals.ts";
import { messageOperations } from "./operations/work/messages.ts";

import { modelCallOperations } from "./operations/models/calls.ts";
import { modelUsageOperations } from "./operations/models/usage.ts";
import { agentCompleteOperations } from "./operations/agents/complete.ts";
import { agentFeedbackOperations } from "./operations/agents/feedback.ts";
import { agentHealthOperations } from "./operations/agents/health.ts";
import { agentStatsOperations } from "./operations/agents/stats.ts";

/** The operations, under the names that their files export. */
export const operationGroups = {
  statusOperations,
  todayOperations,
  trendOperations,
  importOperations,
  settingOperations,
  backupOperations,
  hostOperations,
  sessionOperations,
  entryOperations,
  searchOperations,
  findOperations,
  workspaceOperations,
  liveOperations,
  followOperations,
  ruleOperations,
  ruleEvidenceOperations,
  maintenanceOperations,
  distilOperations,
  ledgerOperations,
  factOperations,
  memoryOperations,
  forgetOperations,
  recallOperations,
  adviceOperations,
  answerOperations,
  memoryMaintenanceOperations,
  initOperations,
  soulOperations,
  soulProposalOperations,
  exportOperations,
  importRulesOperations,
  modelCostOperations,
  modelPriceOperations,
  modelRouteOperations,
  modelStatOperations,
  modelEvolveOperations,
  modelCapOperations,
  modelCallOperations,
  modelUsageOperations,
  agentCompleteOperations,
  agentFeedbackOperations,
  agentStatsOperations,
  agentHealthOperations,
  approvalOperations,
  messageOperations,
  jobOperations,
  pauseOperations,
  jobStatusOperations,
  goalOperations,
  taskOperations,
  goalHistoryOperations,
  letterOperations,
  nextOperations,
  reflectOperations,
  reflectionOperations,
  cycleOperations,
  snapshotOperations,
  executionLogOperations,
  commentOperations,
  goalToolOperations,
  journalOperations,
  modelListOperations,
  modelAddOperations,
  modelDefaultOperations,
  modelTestOperations,
};

/** All operations. */
export const operations: readonly Operation[] = Object.values(operationGroups).flat();

/** There are two search operations; in the library, the name belongs to the command line's. */
type Declared = Exclude<(typeof operationGroups)[keyof typeof operationGroups][number], HttpSearch>;

/** Input and output of every operation, by name. */
export type OperationMap = {
  [One in Declared as One["name"]]: { input: z.input<One["input"]>; output: z.output<One["output"]> };
};

type Named<Name extends keyof OperationMap> = Extract<Declared, { readonly name: Name }>;

/** The operation of that name, with its types. */
export function operationNamed<Name extends keyof OperationMap>(name: Name): Named<Name> {
  const found = operations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found as Operation as Named<Name>;
}
