import type {
  Approval,
  Change,
  Goal,
  GoalComment,
  IdentityProposal,
  Job,
  ListedMessage,
  Memory,
  Rule,
  Task,
} from "../api/contract.ts";
import type { IdentityFile } from "../api/shapes.ts";
import type { Subject } from "./action.ts";

export function ruleSubject(rule: Pick<Rule, "id" | "text" | "status"> & Partial<Rule>): Subject {
  return { on: "rule", id: rule.id, title: rule.text, state: rule };
}

export function memorySubject(memory: Memory): Subject {
  return { on: "memory", id: memory.id, title: memory.text, state: memory };
}

export function changeSubject(change: Pick<Change, "id" | "summary" | "undoneBy"> & Partial<Change>): Subject {
  return { on: "change", id: change.id, title: change.summary, state: change };
}

export function proposalSubject(
  proposal: Pick<IdentityProposal, "id" | "reason" | "status"> & Partial<IdentityProposal>,
): Subject {
  // The proposal's reason is not the owner's reason to reject it: it must not prefill that form.
  const { reason, ...state } = proposal;
  return { on: "proposal", id: proposal.id, title: reason, state };
}

export function approvalSubject(approval: Pick<Approval, "id" | "summary" | "status"> & Partial<Approval>): Subject {
  // How far an earlier yes reaches must not prefill the next one.
  const { reach: _, ...state } = approval;
  return { on: "approval", id: approval.id, title: approval.summary, state };
}

export function messageSubject(message: ListedMessage): Subject {
  // The query's text must not prefill the reply.
  const { kind, reply } = message;
  return { on: "message", id: message.id, title: message.text, state: { kind, isReplied: reply !== null } };
}

export function jobSubject(job: Job): Subject {
  return { on: "job", id: job.name, title: job.name, state: job };
}

/** Only what an edit may prefill, and what decides which actions apply. */
export function goalSubject({ id, title, description, priority, status }: Goal): Subject {
  return { on: "goal", id, title, state: { title, description, priority, status } };
}

export function taskSubject({ id, title, description, tier, position, status, proof, check }: Task): Subject {
  return {
    on: "task",
    id,
    title,
    state: { title, description, tier, position, status, proof, asksPerson: check.kind === "person" },
  };
}

export function commentSubject({ id, text, acknowledgedAt }: GoalComment): Subject {
  // The comment's text must not prefill the answer.
  return { on: "comment", id, title: text, state: { isOpen: acknowledgedAt === null } };
}

/** `base` is the text at the time the form opened; the server uses it to detect a concurrent edit. */
export function fileSubject(file: IdentityFile): Subject {
  const text = file.text ?? "";
  return { on: "identity", id: file.name, title: file.name, state: { text }, given: { base: text } };
}

export function sessionSubject(id: string): Subject {
  return { on: "session", id, title: `session ${id}`, state: {} };
}

/** The subject of an action that creates something; `state` prefills its form. */
export function newSubject(on: Subject["on"], over: Partial<Pick<Subject, "given" | "known" | "state">> = {}): Subject {
  return { on, id: null, title: "", state: {}, ...over };
}
