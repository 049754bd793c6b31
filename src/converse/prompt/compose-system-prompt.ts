import type { Context } from "../../context.ts";
import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import { iso } from "../../lib/clock.ts";
import { UNBOUNDED } from "../../observe/protocol/host.ts";
import { composeAtSessionStart } from "../../recall/at-session-start.ts";
import { composeAtSubAgentStart } from "../../recall/at-sub-agent-start.ts";
import { findIdentityText, type IdentityPart, loadIdentity } from "../../recall/identity/identity.ts";
import { recordShownParts } from "../../store/shown/shown.ts";
import { type ContextFile, quoteContextFiles, readContextFiles } from "./context-files.ts";
import { readPromptText } from "./read-prompt-text.ts";

/** The session that a prompt is composed for. */
export interface PromptSession {
  /** Under which it is observed. */
  readonly id: string;
  /** The sub-agent; null for the main agent. */
  readonly agent: string | null;
  readonly cwd: string;
  readonly workspace: string;
  /** The workspace whose rules and memories hold; absent: the same. */
  readonly project?: string | undefined;
  readonly model: string | null;
  /** Names of its tools. */
  readonly tools: readonly string[];
}

export interface SystemPrompt {
  readonly text: string;
  /** Files that were kept back, for the person. */
  readonly blocked: readonly ContextFile[];
}

/** The layers of the prompt. Their order is fixed, and what changes rarely comes first. */
export interface PromptLayers {
  readonly soul: string;
  readonly guidance: string;
  readonly contextFiles: string;
  readonly skills: string;
  readonly rulesAndMemory: string;
  readonly user: string;
  readonly platform: string;
  readonly date: string;
}

export function joinLayers(layers: PromptLayers): string {
  const { soul, guidance, contextFiles, skills, rulesAndMemory, user, platform, date } = layers;
  return [soul, guidance, contextFiles, skills, rulesAndMemory, user, platform, date]
    .map((layer) => layer.trim())
    .filter((layer) => layer !== "")
    .join("\n\n");
}

/** Composed once for a session, and again after a compaction. What it shows is recorded as shown. */
export async function composeSystemPrompt(
  ctx: Pick<Context, "db" | "config" | "clock" | "models">,
  session: PromptSession,
): Promise<SystemPrompt> {
  const { workspace, cwd } = session;
  const identity = await loadIdentity(ctx);
  const characters = ctx.config.policy.chat.contextFileCharacters;
  const files = readContextFiles({ workspace, cwd, characters });
  const text = joinLayers({
    soul: composeSoul(identity, ctx.config.policy.recall.identityCharacters),
    guidance: composeGuidance(session),
    contextFiles: quoteContextFiles(files),
    skills: "",
    rulesAndMemory: await composeRulesAndMemory(ctx, session),
    user: composeUser(identity),
    platform: `System: ${process.platform}. Working folder: ${cwd}.${cwd === workspace ? "" : ` Workspace: ${workspace}.`}`,
    date: formatDate(ctx.clock.now()),
  });
  return { text, blocked: files.filter(({ blocked }) => blocked !== null) };
}

/** Without the time, so that two sessions of a day begin alike. */
export function formatDate(now: number): string {
  const weekday = new Date(now).toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" });
  return `Today is ${weekday}, ${iso(now).slice(0, 10)} (UTC).`;
}

/** SOUL.md stands at the beginning; the rest of the identity follows. */
function composeSoul(identity: readonly IdentityPart[], characters: number): string {
  const soul = findIdentityText(identity, "SOUL.md");
  const others = ["SHIELD.md", "HARNESS.md"].flatMap((name) => {
    const text = findIdentityText(identity, name);
    return text === "" ? [] : [`[${name}]\n${text}`];
  });
  const first = soul === "" ? readPromptText("soul") : soul;
  const rest = others.length === 0 ? [] : ["If these disagree, SHIELD.md wins.", ...others];
  return [first, ...rest].join("\n\n").slice(0, characters);
}

function composeGuidance({ agent, tools }: PromptSession): string {
  return [
    readPromptText("guidance"),
    ...(tools.includes("remember") ? [readPromptText("memory")] : []),
    ...(agent !== null ? [`\n${readPromptText("sub-agent")}`] : []),
  ].join("\n");
}

function composeUser(identity: readonly IdentityPart[]): string {
  const text = findIdentityText(identity, "USER.md");
  return text === "" ? "" : `About the person, in their own words:\n${text}`;
}

async function composeRulesAndMemory(
  ctx: Pick<Context, "db" | "config" | "clock" | "models">,
  session: PromptSession,
): Promise<string> {
  if (!ctx.config.policy.recall.speakAtStart) return "";
  const { id, agent, workspace, project = workspace, model } = session;
  const to = { host: AGENT_HOST, session: id, agent, workspace: project, model, maxCharacters: UNBOUNDED };
  // A new prompt replaces the old one, so everything may be in it again.
  const message =
    agent === null
      ? await composeAtSessionStart({ ...ctx, date: "" }, to, { parts: new Set(), tokens: 0 })
      : await composeAtSubAgentStart(ctx, to);
  if (message === null) return "";
  const shown = { at: ctx.clock.now(), host: AGENT_HOST, session: id, agent, moment: "session-start" } as const;
  await recordShownParts(ctx.db, shown, message.parts);
  return message.text;
}
