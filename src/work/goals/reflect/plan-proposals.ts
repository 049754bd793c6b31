import type { Blocker } from "../../../domain/goal/blockers.ts";
import { blockerKey } from "../../../domain/goal/blockers.ts";
import type { Goal } from "../../../domain/goal/goal.ts";
import type { Policy } from "../../../domain/policy.ts";
import { contentWords, textSimilarity } from "../../../domain/text/similarity.ts";
import { findBlockReason } from "../../../domain/trust/instruction-like.ts";
import { redact } from "../../../domain/redact/redact.ts";
import { hashId } from "../../../lib/ids.ts";
import { groupBy } from "../../../lib/group-by.ts";
import { oneLine, plural } from "../../../lib/text.ts";
import type { ReflectionFacts } from "./read-facts.ts";

/** A goal that a reflection wants. Its id follows from what it is about, so that the same one is never proposed twice. */
export interface GoalProposal {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly why: string;
  readonly folder: string | null;
  /** The model that wrote it; null: it follows from the tables. */
  readonly writtenBy: string | null;
}

/** What a model proposes. */
export interface WrittenProposal {
  readonly title: string;
  readonly description: string;
  readonly why: string;
}

/** The goals to propose: first what the tables show, then what a model wrote; no more than there is room for. */
export async function planProposals(
  facts: ReflectionFacts,
  given: {
    readonly blockers: readonly Blocker[];
    readonly written: readonly WrittenProposal[];
    readonly model: string | null;
  },
  policy: Policy,
): Promise<readonly GoalProposal[]> {
  const waiting = facts.goals.filter(({ status }) => status === "proposed").length;
  const room = Math.min(policy.goals.proposals, Math.max(0, policy.goals.openProposals - waiting));
  if (room === 0) return [];
  const all = [
    ...proposeFromBlockers(facts, given.blockers),
    ...proposeFromClaims(facts),
    ...given.written.filter(isFit).map((one) => proposeWritten(one, given.model)),
  ];
  const known = await facts.filterKnown(all.map(({ id }) => id));
  const chosen: GoalProposal[] = [];
  for (const one of all) {
    if (chosen.length === room) break;
    const titles = [...facts.goals, ...chosen].map(({ title }) => title);
    // In other words it is the same goal: also one that has ended, or that the owner dropped.
    const isSaid = titles.some((title) => textSimilarity(title, one.title) >= policy.memory.nearDuplicate);
    if (!known.has(one.id) && !isSaid && !chosen.some(({ id }) => id === one.id)) chosen.push(one);
  }
  return chosen;
}

/** A cause that several goals share is worth a goal of its own, unless only the owner can remove it. */
function proposeFromBlockers(facts: ReflectionFacts, blockers: readonly Blocker[]): readonly GoalProposal[] {
  return blockers
    .filter(({ kind, goals }) => kind === "reason" && goals.length > 1)
    .map(({ cause, goals, tasks }) => ({
      id: hashId("goal", `reflection blocker ${blockerKey(cause)}`),
      title: oneLine(`Remove what blocks ${goals.length} goals: ${cause}`, MOST_TITLE),
      description: `These goals are blocked for the same reason: ${goals.join(", ")}.\nThe reason: ${cause}\nIt blocks ${plural(tasks.length, "task")}.`,
      why: `the same cause blocks ${goals.length} goals`,
      folder: commonFolder(facts.goals.filter(({ id }) => goals.includes(id))),
      writtenBy: null,
    }));
}

/** A goal with nothing left to do that waits for the owner, because nothing but words says that its tasks are done. */
function proposeFromClaims({ goals, tasks }: ReflectionFacts): readonly GoalProposal[] {
  const byGoal = groupBy(tasks, ({ goal }) => goal);
  return goals.flatMap((goal) => {
    const own = (byGoal.get(goal.id) ?? []).filter(({ status }) => status !== "dropped");
    const claimed = own.filter(({ proof }) => proof === "claimed");
    if (goal.status !== "active" || own.some(({ status }) => status !== "done") || claimed.length < FEWEST_CLAIMS)
      return [];
    const title = oneLine(`Find checks for the ${claimed.length} claimed tasks of "${goal.title}"`, MOST_TITLE);
    const description = `Nothing but words says that these tasks are done:\n${claimed.map((task) => `- ${task.id}: ${oneLine(task.title)}`).join("\n")}`;
    const id = hashId("goal", `reflection claims ${goal.id}`);
    const why = `${goal.id} waits for you with ${claimed.length} tasks that are only claimed`;
    return [{ ...{ id, title, description, why }, folder: goal.folder, writtenBy: null }];
  });
}

const MOST_TITLE = 200;
/** Fewer are quicker looked at than automated. */
const FEWEST_CLAIMS = 3;

function commonFolder(goals: readonly Goal[]): string | null {
  const [folder = null, ...others] = new Set(goals.map((goal) => goal.folder));
  return others.length === 0 ? folder : null;
}

function isFit({ title, description, why }: WrittenProposal): boolean {
  return findBlockReason({ trust: "external", text: `${title}\n${description}\n${why}` }) === null;
}

function proposeWritten({ title, description, why }: WrittenProposal, model: string | null): GoalProposal {
  const line = oneLine(redact(title), MOST_TITLE);
  return {
    id: hashId("goal", `reflection wish ${contentWords(line).join(" ")}`),
    title: line,
    description: redact(description),
    why: oneLine(redact(why), 500),
    folder: null,
    writtenBy: model,
  };
}
