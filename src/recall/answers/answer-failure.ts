import { realpathSync } from "node:fs";
import type { Context } from "../../context.ts";
import { tokensOf } from "../../domain/advice/window.ts";
import { causeOf } from "../../domain/cause/cause.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import { readCall } from "../../domain/event/reading.ts";
import { redact } from "../../domain/redact/redact.ts";
import { isControl } from "../../domain/rule/hold-out.ts";
import { addAnswer } from "../../store/answers.ts";
import type { Told } from "../compose.ts";
import type { Listener } from "../parts.ts";
import type { Around, Failure, Finding } from "./answer.ts";
import { budgetOf } from "./budget.ts";
import { hiddenIn } from "./ignored.ts";
import { sayAnswer } from "./say-answer.ts";

type AnswerContext = Pick<Context, "db" | "config" | "clock">;

/** What is true now, for a call that failed because of what it took for true. Null where nothing is near. */
export async function answerFailure(ctx: AnswerContext, to: Listener, call: NewEvent): Promise<Told | null> {
  const failure = failureOf(to, call);
  if (failure === null) return null;
  const finding = await find(aroundOf(ctx, failure), failure);
  const text = finding === null ? null : sayAnswer(finding, to.hears);
  if (finding === null || text === null) return null;
  const given = !isControl(TRIAL, to.session, ctx.config.policy.distil);
  const tokens = tokensOf(text);
  const { file, texts } = finding.offers;
  const offers = { file: file === null ? null : redact(file), texts: texts.map(redact) };
  await addAnswer(ctx.db, call, { at: ctx.clock.now(), cause: failure.cause.kind, given, tokens, ...offers });
  if (!given) return null;
  return { text, parts: [{ kind: "answer", subject: failure.cause.kind, level: "advise", tokens }] };
}

/** Answers have a control group like a rule has: its sessions do without. */
const TRIAL = { id: "answers", level: "advise", origin: "tool" } as const;

/** Null for a call that did not fail, that was refused by whomever, and for one whose error names no known cause. */
function failureOf({ workspace }: Listener, call: NewEvent): Failure | null {
  const { tool } = call;
  if (tool === null || workspace === null) return null;
  // A tool may print the words of a refusal, or pass one on: where that cannot be told, nothing is said.
  const { outcome, benign, error } = readCall({ ...call, error: call.error?.replace(/^It printed: /, "") ?? null });
  if (outcome !== "failed" || benign || error === null) return null;
  const cause = causeOf({ tool, input: call.input }, error);
  return cause === null ? null : { call: { ...call, tool }, cause, error, workspace };
}

function aroundOf({ db, config }: AnswerContext, { call, workspace }: Failure): Around {
  return {
    db,
    root: workspace,
    isHidden: hiddenIn(workspace),
    budget: budgetOf({ entries: MOST_ENTRIES, ms: config.policy.recall.answerMs }),
    wasUsed: async (path) => {
      const { hasUsedFile } = await import("./own-files.ts");
      return hasUsedFile(db, { workspace, host: call.host, session: call.session }, path);
    },
  };
}

const MOST_ENTRIES = 20_000;

async function find(around: Around, failure: Failure): Promise<Finding | null> {
  if (!isFolder(around.root)) return null;
  switch (failure.cause.kind) {
    case "missing-path":
    case "wrong-folder":
      return (await import("./near-paths.ts")).nearPaths(around, failure);
    case "is-folder":
      return (await import("./folder-and-size.ts")).inFolder(around, failure);
    case "too-large":
      return (await import("./folder-and-size.ts")).partOfFile(around, failure);
    case "text-not-found":
    case "not-unique":
      return (await import("./edit-lines.ts")).editLines(around, failure);
    case "unknown-script":
      return (await import("./scripts-here.ts")).scriptsHere(around, failure);
    case "missing-program":
      return (await import("./programs-here.ts")).programsHere(around, failure);
    default:
      return null;
  }
}

/** A mind holds workspaces of other machines too. */
function isFolder(root: string): boolean {
  try {
    return realpathSync(root) !== "";
  } catch {
    return false;
  }
}
