/**
 * Settings of earlier versions that nothing reads any more: ignored in the file, and removed by `oldhand doctor --fix`.
 */
export const retired: readonly string[] = [
  "work.taskAttempts",
  "work.fewestTasks",
  "work.mostTasks",
  "work.snapshotHours",
  "work.reflectHours",
  "work.reflectExecutions",
  "work.reflectAtLatestHours",
  "work.proposedGoals",
  "work.gapWarningHours",
  "work.claimAttempts",
  "converse.warnAtRepeat",
  "converse.blockAtRepeat",
  "converse.reviewTurns",
  "converse.reviewIterations",
  "converse.skillTokens",
  "converse.skillStaleDays",
  "converse.skillArchiveDays",
  "models.abTestAfter",
  "distil.opportunitiesBeforeSpeaking",
];
