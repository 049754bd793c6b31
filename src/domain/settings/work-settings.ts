import { countSetting, type Declared, daysSetting, numberSetting, textSetting } from "./kinds.ts";

/** For a pattern: `7:05`, `23:59`. */
const TIME_OF_DAY = "(?:[01]?\\d|2[0-3]):[0-5]\\d";

/** Settings of jobs, goals and teams. */
export const workSettings = {
  work: {
    quietHours: textSetting(
      "",
      "hours of every day in which no job begins, such as 22:00-07:00, in the time zone of each worker; empty: none",
      {
        pattern: `^(?:|(?!0?(\\d{1,2}:\\d{2})-0?\\1$)${TIME_OF_DAY}-${TIME_OF_DAY})$`,
        asksFor: "two times of a day, from 0:00 to 23:59, such as 22:00-07:00",
      },
    ),
    lateSeconds: numberSetting(60, 1, 86_400, "a slot that is found later than this after its time is late (seconds)"),
    slotDays: daysSetting(90, "how long slots of jobs, alerts and pauses are kept"),
    breakerFailures: countSetting(3, "failures in a row after which a job is not run for a while"),
    breakerMinutes: numberSetting(60, 1, 525_600, "how long a job that failed too often is not run (minutes)"),
    atOnce: numberSetting(2, 1, 64, "how many slots one worker runs at the same time"),
    leaseSeconds: numberSetting(30, 5, 3_600, "how long a worker that says nothing keeps its work (seconds)"),
    commandSeconds: numberSetting(3_600, 1, 86_400, "time limit of a job's command that names none (seconds)"),
    keepBackups: numberSetting(7, 1, 1_000, "how many daily backups the job `backup` keeps"),
  },
  goals: {
    mostAttempts: countSetting(3, "attempts at a task that count, after which it is blocked"),
    cycleMinutes: numberSetting(50, 1, 1_440, "time limit of one cycle (minutes)"),
    cycleCost: numberSetting(2, 0, 10_000, "what the model calls of one cycle may cost (US dollars)"),
    snapshotHours: numberSetting(2, 0, 8_760, "a snapshot that is older than this is not used (hours)"),
    reflectHours: numberSetting(8, 0, 8_760, "time between two reflections, if enough was executed (hours)"),
    reflectExecutions: countSetting(3, "executed tasks after which a reflection may follow"),
    reflectLatestHours: numberSetting(48, 1, 8_760, "time after which a reflection is due in any case (hours)"),
    proposals: numberSetting(2, 0, 20, "goals that one reflection may propose"),
    openProposals: numberSetting(4, 0, 100, "proposed goals that may wait for the owner; at that number none is added"),
    gapHours: numberSetting(6, 1, 8_760, "time without a cycle after which you are told (hours)"),
    worktreeDays: daysSetting(14, "how long the worktree and the branch of an ended attempt are kept"),
  },
  team: {
    machine: textSetting(
      "",
      "name of this machine in a shared mind and in messages between agents; empty: the computer's own name",
      {
        pattern: "^(?:|[a-z0-9][a-z0-9._-]{0,63})$",
        asksFor: "up to 64 small letters, digits, dots, dashes and underscores",
        env: "OLDHAND_MACHINE",
      },
    ),
  },
  messages: {
    keepDays: daysSetting(30, "how long messages between agents are kept"),
    mostWaiting: countSetting(100, "messages of one sender that may wait; more are refused"),
  },
} as const satisfies Declared;
