import { join } from "node:path";
import type { NewEvent } from "../../domain/event/event.ts";
import type { Policy } from "../../domain/policy.ts";
import { readCall } from "../../domain/cause/read-call.ts";
import type { RuleStatus } from "../../domain/rule/rule.ts";
import { parseTime } from "../../lib/clock.ts";
import { hashText } from "../../lib/hash.ts";
import { isRecord, nonEmptyText, tryParseJson } from "../../lib/json.ts";
import { oneLine, storable } from "../../lib/text.ts";
import {
  hasTables,
  type ForeignDatabase,
  openForeignDatabase,
  type ForeignRow,
} from "../../store/sqlite/foreign-database.ts";
import { claudeCodeProtocol } from "../hosts/claude-code/protocol.ts";
import { blankEvent, redactAndCap, toCallEventFields, toEvent } from "../protocol/to-event.ts";
import { findWorkspace } from "../protocol/workspace.ts";
import type { OtherStore, StoreItem } from "./other-store.ts";

/** github.com/lisn0/learned-behavior: one SQLite file with events and what it calls lessons. */
export const learnedBehavior: OtherStore = {
  name: "learned-behavior",
  title: "learned-behavior",
  defaultPaths: ({ userHome, env }) => {
    const file = env["LEARNED_BEHAVIOR_DB"] || env["CONTINUOUS_LEARNING_DB"];
    if (file) return [file];
    const data = env["XDG_DATA_HOME"] || join(userHome, ".local", "share");
    const home = env["LEARNED_BEHAVIOR_HOME"] || env["CONTINUOUS_LEARNING_HOME"] || join(data, "learned-behavior");
    return [join(home, "learning.db")];
  },
  isAt: (path) => hasTables(path, ["events", "lessons", "advice_shown"]),
  files: (path) => [path],
  read: function* (path, policy) {
    const database = openForeignDatabase(path);
    try {
      const events = new Map<number, NewEvent>();
      yield* readEvents(database, policy, listEvidenceEvents(database), events);
      yield* readRules(database, policy, events);
    } finally {
      database.close();
    }
  },
};

/** The events that rules name as their source; only these are kept while reading. */
function listEvidenceEvents(database: ForeignDatabase): ReadonlySet<number> {
  const rows = database.rows({ name: "lessons", columns: ["source_event_id"], orderBy: ["id"] });
  return new Set([...rows].flatMap((row) => (row["source_event_id"] === null ? [] : [Number(row["source_event_id"])])));
}

const eventColumns = [
  "id",
  "created_at",
  "agent",
  "workspace",
  "event_name",
  "status",
  "session_id",
  "tool_name",
  "prompt",
  "summary",
  "payload_json",
];

function* readEvents(
  database: ForeignDatabase,
  policy: Policy["observe"],
  wanted: ReadonlySet<number>,
  kept: Map<number, NewEvent>,
): Iterable<StoreItem> {
  let empty = 0;
  for (const row of database.rows({ name: "events", columns: eventColumns, orderBy: ["id"] })) {
    const event = parseEvent(row, policy);
    if (event === null) {
      empty++;
      continue;
    }
    const id = Number(row["id"]);
    if (wanted.has(id)) kept.set(id, { ...event, workspace: null });
    yield { kind: "event", event, workspace: findWorkspace(event.cwd) };
  }
  if (empty > 0)
    yield { kind: "left", left: { what: "events", count: empty, why: "neither a call nor a prompt was recorded" } };
}

function parseEvent(row: ForeignRow, policy: Policy["observe"]): Omit<NewEvent, "workspace"> | null {
  const at = parseTime(row["created_at"]);
  const payload = tryParseJson(String(row["payload_json"] ?? ""));
  const workspace = nonEmptyText(row["workspace"]);
  if (at === null) return null;
  const id = Number(row["id"]);
  const base = {
    ...blankEvent,
    host: parseHost(nonEmptyText(row["agent"])),
    // Its own hooks did not record the session; then each day of a workspace counts as one.
    session: storable(
      nonEmptyText(row["session_id"]) ?? `learned-behavior ${hashText(`${workspace} ${at - (at % DAY)}`)}`,
    ),
    uid: `learned-behavior:${id}`,
    seq: id,
    at,
    cwd: (isRecord(payload) ? nonEmptyText(payload["cwd"]) : null) ?? workspace,
  };
  const failed = row["status"] === "error" || row["status"] === "blocked";
  const decoded = decodeHookPayload(payload, { policy, at, failed });
  if (decoded !== null) return { ...base, ...decoded };
  const prompt = nonEmptyText(row["prompt"]);
  if (prompt !== null) return { ...base, kind: "prompt", text: redactAndCap(prompt, policy.payloadCharacters) };
  const tool = nonEmptyText(row["tool_name"]);
  if (tool === null) return null;
  const input = isRecord(payload) ? (payload["tool_input"] ?? null) : null;
  const call = toCallEventFields(
    { tool, input, ok: !failed, text: nonEmptyText(row["summary"]), exitCode: null },
    policy,
  );
  return { ...base, kind: "call", ...call, ...(row["status"] === "blocked" ? blockedCall({ ...base, ...call }) : {}) };
}

const DAY = 86_400_000;

/**
 * Its payloads are those of Claude Code's hooks. Decoded as such, the event is the same as the hook's or the
 * transcript's.
 */
function decodeHookPayload(
  payload: unknown,
  { policy, at, failed }: { readonly policy: Policy["observe"]; readonly at: number; readonly failed: boolean },
): Partial<NewEvent> | null {
  const [hookEvent] = claudeCodeProtocol.decode(payload, {});
  if (hookEvent === undefined || hookEvent.moment === "before-call") return null;
  const event = toEvent(hookEvent.moment === "after-call" && failed ? { ...hookEvent, ok: false } : hookEvent, {
    policy,
    at,
    workspace: null,
  });
  if (event === null) return null;
  const { kind, session, tool, input, ok, exitCode, error, text: words, model, agent, durationMs } = event;
  const named = hookEvent.moment === "after-call" && hookEvent.callId !== null ? { uid: hookEvent.callId } : {};
  return { kind, session, tool, input, ok, exitCode, error, text: words, model, agent, durationMs, ...named };
}

/** A guard stopped the call before it ran. */
function blockedCall(event: Omit<NewEvent, "workspace">): Partial<NewEvent> {
  return { ...readCall(event), outcome: "denied", benign: false, signature: null };
}

function parseHost(agent: string | null): string {
  return storable(agent === null || agent === "claude" ? "claude-code" : agent);
}

const ruleColumns = [
  "created_at",
  "workspace",
  "status",
  "title",
  "rule_text",
  "rationale",
  "source_event_id",
  "confidence",
  "observations",
  "last_seen_at",
];

function* readRules(
  database: ForeignDatabase,
  policy: Policy["observe"],
  events: ReadonlyMap<number, NewEvent>,
): Iterable<StoreItem> {
  for (const row of database.rows({ name: "lessons", columns: ruleColumns, orderBy: ["id"] })) {
    const at = parseTime(row["created_at"]) ?? 0;
    const workspace = nonEmptyText(row["workspace"]);
    const cause = row["source_event_id"] === null ? undefined : events.get(Number(row["source_event_id"]));
    const refs =
      cause === undefined
        ? []
        : [
            {
              session: cause.session,
              seq: cause.seq ?? 0,
              host: cause.host,
              at: cause.at,
              excerpt: oneLine(cause.error ?? cause.text ?? "", EXCERPT),
            },
          ];
    yield {
      kind: "rule",
      at,
      workspace: findWorkspace(workspace),
      rule: {
        name: JSON.stringify([workspace, row["title"], row["rule_text"]]),
        text: redactAndCap(formatRuleText(row), policy.payloadCharacters),
        status: parseStatus(row["status"]),
        confidence: Math.min(1, Math.max(0, Number(row["confidence"]))),
        evidence: {
          observations: Number(row["observations"]),
          sessions: refs.length,
          first: at,
          last: parseTime(row["last_seen_at"]) ?? at,
          refs,
        },
      },
    };
  }
}

const EXCERPT = 200;

function formatRuleText(row: ForeignRow): string {
  const why = nonEmptyText(row["rationale"]);
  return [`${row["title"]}: ${row["rule_text"]}`, ...(why === null ? [] : [`Because: ${why.trim()}`])].join(" ");
}

function parseStatus(status: unknown): RuleStatus {
  return status === "dormant" || status === "retired" ? status : "candidate";
}
