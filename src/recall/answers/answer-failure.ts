import { realpathSync } from "node:fs";
import type { Context } from "../../context.ts";
import { estimateTokens } from "../../domain/advice/context-window.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import { mayBeAnswered } from "../../domain/cause/may-be-answered.ts";
import { readCall } from "../../domain/cause/read-call.ts";
import { redact } from "../../domain/redact/redact.ts";
import { isInControlGroup } from "../../domain/rule/delivery/holdout.ts";
import { addAnswer } from "../../store/shown/answers.ts";
import type { Message } from "../compose-message.ts";
import type { Recipient } from "../message-parts.ts";
import type { AnswerLookup, Failure, FailureAnswer } from "./answer.ts";
import { newLookupBudget } from "../disk/lookup-budget.ts";
import { newHiddenCheck } from "../disk/ignored.ts";
import { formatAnswer } from "./format-answer.ts";

type AnswerContext = Pick<Context, "db" | "config" | "clock">;

/** What is true now, for a call that failed because of a wrong assumption. Null if nothing similar is found. */
export async function answerFailure(
  ctx: AnswerContext,
  to: Recipient,
  call: NewEvent,
  isSaid: (text: string) => boolean = () => false,
): Promise<Message | null> {
  const failure = parseFailure(to, call);
  if (failure === null || (await isDismissed(ctx, failure))) return null;
  const answer = await findAnswer(buildLookup(ctx, failure), failure);
  const text = answer === null ? null : formatAnswer(answer, to.maxCharacters);
  if (answer === null || text === null || isSaid(text)) return null;
  const given = !isInControlGroup(ANSWER_TRIAL, to.session, ctx.config.policy.distil);
  const tokens = estimateTokens(text);
  const { file, texts } = answer.offers;
  const offers = { file: file === null ? null : redact(file), texts: texts.map(redact) };
  await addAnswer(ctx.db, call, { at: ctx.clock.now(), cause: failure.cause.kind, given, tokens, ...offers });
  if (!given) return null;
  return { text, parts: [{ kind: "answer", subject: failure.cause.kind, level: "advise", tokens }] };
}

/** Answers have a control group, like a rule: its sessions get none. */
const ANSWER_TRIAL = { id: "answers", level: "advise", origin: "tool" } as const;

/** Null for a call that did not fail, was refused, whose error has no known cause, or that gets no answer. */
function parseFailure({ workspace }: Recipient, call: NewEvent): Failure | null {
  const { tool } = call;
  if (tool === null || workspace === null) return null;
  // A tool may print or pass on the text of a refusal; if that cannot be distinguished, there is no answer.
  const { outcome, benign, error } = readCall({ ...call, error: call.error?.replace(/^It printed: /, "") ?? null });
  if (outcome !== "failed" || benign || error === null) return null;
  const cause = detectCause({ tool, input: call.input }, error);
  if (cause === null || !mayBeAnswered({ tool, input: call.input }, cause)) return null;
  return { call: { ...call, tool }, cause, error, workspace };
}

/** What the owner muted or rejected as a rule is not said as an answer either. */
async function isDismissed({ db }: AnswerContext, { call, cause, workspace }: Failure): Promise<boolean> {
  const { isDismissedFailure } = await import("../calls/dismissed-content.ts");
  const { agent = null, uid = null } = call;
  return isDismissedFailure(db, { ...call, agent, uid, workspace }, cause.kind);
}

function buildLookup({ db, config }: AnswerContext, { call, workspace }: Failure): AnswerLookup {
  return {
    db,
    root: workspace,
    isHidden: newHiddenCheck(workspace),
    budget: newLookupBudget({ entries: MOST_ENTRIES, ms: config.policy.recall.answerMs }),
    wasUsed: async (path) => {
      const { hasUsedFile } = await import("./own-files.ts");
      return hasUsedFile(db, { workspace, host: call.host, session: call.session }, path);
    },
  };
}

const MOST_ENTRIES = 20_000;

async function findAnswer(around: AnswerLookup, failure: Failure): Promise<FailureAnswer | null> {
  if (!isFolder(around.root)) return null;
  switch (failure.cause.kind) {
    case "missing-path":
    case "wrong-folder":
      return (await import("./near-paths.ts")).findNearPaths(around, failure);
    case "missing-module":
      // A script by its path; the name of a module is no path.
      return failure.cause.thing?.startsWith("/") === true
        ? (await import("./near-paths.ts")).findNearPaths(around, failure)
        : null;
    case "is-folder":
      return (await import("./folder-and-size.ts")).listFolderContents(around, failure);
    case "too-large":
      return (await import("./folder-and-size.ts")).findReadablePart(around, failure);
    case "text-not-found":
    case "not-unique":
      return (await import("./edit-lines.ts")).findEditLines(around, failure);
    case "unknown-script":
      return (await import("./scripts-here.ts")).findDeclaredScripts(around, failure);
    case "missing-program":
      return (await import("./programs-here.ts")).findInstalledPrograms(around, failure);
    default:
      return null;
  }
}

/** A mind may contain workspaces of other machines. */
function isFolder(root: string): boolean {
  try {
    return realpathSync(root) !== "";
  } catch {
    return false;
  }
}
