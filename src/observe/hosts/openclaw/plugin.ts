import type { InstallTarget } from "../../protocol/host.ts";
import { renderPluginLink } from "../../wiring/plugin-link.ts";

/**
 * The plugin's code. It reports events as OpenClaw sends them and applies the replies; `protocol.ts` interprets them.
 */
export function pluginText(target: Pick<InstallTarget, "command">): string {
  return `// Written by oldhand. \`oldhand uninstall openclaw\` removes it.
${renderPluginLink(target)}
// OpenClaw registers a plugin several times and may load it again, so the state of its sessions is shared.
const state = (globalThis[Symbol.for("oldhand openclaw")] ??= {
  live: new Set(),
  known: new Map(),
  begun: new Map(),
  told: new Set(),
  turns: new Map(),
  late: new Map(),
  hangUp: null,
});
const { live, known, begun, told, turns, late } = state;

/** Keeps text that came too late, or with a result that cannot hold text, for the next reply. */
function keep(session, context) {
  if (context) late.set(session, [late.get(session), context].filter(Boolean).join("\\n"));
}

function payload(hook, context, fields) {
  const { sessionId: session, sessionKey, trigger, inputProvenance } = context;
  // Hooks for calls are given neither the folder nor the model.
  const { workspaceDir: cwd, modelId: model } = context.workspaceDir ? context : (known.get(session) ?? {});
  return { hook, session, sessionKey, askedBy: trigger, provenance: inputProvenance?.kind, cwd, model, ...fields };
}

function report(hook, context, fields) {
  return request(payload(hook, context, fields), (advice) => keep(context.sessionId, advice));
}

function withLate(session, context) {
  const text = [late.get(session), context].filter(Boolean).join("\\n");
  late.delete(session);
  return text && "<oldhand>\\n" + text + "\\n</oldhand>";
}

/** Reported as early as possible, so that oldhand has started when the first prompt is built. */
function begin(context) {
  const { sessionId: session, workspaceDir, modelId } = context;
  known.set(session, { workspaceDir, modelId });
  if (live.has(session)) return;
  live.add(session);
  void notify(payload("session_start", context, {}));
}

/** A prompt may be built more than once in a run; each time it gets the same text. */
function atPrompt(event, context) {
  const { sessionId: session, runId } = context;
  begin(context);
  const turn = turns.get(session);
  if (runId !== undefined && turn?.runId === runId) return turn.content;
  const prompt = event.currentUserMessage ?? event.prompt;
  const content = report("before_prompt_build", context, { prompt, runId }).then(({ context: advice }) =>
    withLate(session, advice),
  );
  turns.set(session, { runId, content });
  return content;
}

function ended(context, { toolCallId, toolName, params, error, result, isError, durationMs }) {
  const { at, tool, input } = begun.get(toolCallId) ?? {};
  begun.delete(toolCallId);
  const content = result?.content?.filter?.((part) => part?.type === "text");
  const { exitCode, status } = result?.details ?? {};
  return report("after_tool_call", context, {
    toolCallId,
    tool: tool ?? toolName,
    params: params ?? input,
    error,
    isError,
    content,
    exitCode,
    status,
    durationMs: durationMs ?? (at === undefined ? null : Date.now() - at),
  });
}

async function endAll() {
  await Promise.all([...live].map((sessionId) => report("session_end", { sessionId }, { reason: "shutdown" })));
  live.clear();
  hangUp();
}

export default {
  id: "oldhand",
  name: "oldhand",
  description: "Reports prompts and calls to oldhand, and gives the agent its rules.",
  register(api) {
    // The process of the code that was loaded before is no longer needed.
    if (state.hangUp !== hangUp) state.hangUp?.();
    state.hangUp = hangUp;
    /** An error in oldhand must not disturb the host: before a call, it would stop the call. */
    const quietly = (handler) => async (event, context) => {
      try {
        return await handler(event, context);
      } catch {
        return undefined;
      }
    };

    api.on("before_model_resolve", quietly(async (_event, context) => {
      if (context.sessionId && context.workspaceDir) begin(context);
    }));
    api.on("before_prompt_build", quietly(async (event, context) => {
      const content = await atPrompt(event, context);
      if (content) return { appendContext: content };
    }));
    api.on("before_tool_call", quietly(async (event, context) => {
      const { toolCallId, toolName, toolKind, params } = event;
      const tool = toolKind ?? toolName;
      begun.set(toolCallId, { at: Date.now(), tool, input: params });
      const { deny, context: advice } = await report("before_tool_call", context, { toolCallId, tool, params });
      if (deny) return { block: true, blockReason: deny };
      keep(context.sessionId, advice);
    }));
    api.registerAgentToolResultMiddleware?.(
      quietly(async (event, context) => {
        told.add(event.toolCallId);
        const { context: advice } = await ended(context, { ...event, params: event.args });
        if (!Array.isArray(event.result?.content)) return keep(context.sessionId, advice);
        const text = withLate(context.sessionId, advice);
        if (text) return { result: { ...event.result, content: [...event.result.content, { type: "text", text }] } };
      }),
      { runtimes: ["openclaw"] },
    );
    // Only blocked calls and calls of unknown tools get here. Their text is kept for the next reply.
    api.on("after_tool_call", quietly(async (event, context) => {
      if (told.delete(event.toolCallId)) return;
      const { context: advice } = await ended(context, event);
      keep(context.sessionId, advice);
    }));
    api.on("agent_end", quietly(async (_event, context) => {
      await report("agent_end", context, {});
    }));
    api.on("session_end", quietly(async ({ sessionId, sessionKey, reason }) => {
      if (!live.delete(sessionId)) return;
      await report("session_end", { sessionId, sessionKey }, { reason });
      for (const kept of [known, turns, late]) kept.delete(sessionId);
    }));
    api.on("gateway_stop", quietly(endAll));
  },
};
`;
}

/** What OpenClaw reads of a plugin before it loads its code. A plugin must declare that it adds to results. */
export const manifestText = `${JSON.stringify(
  {
    id: "oldhand",
    name: "oldhand",
    description: "Written by oldhand: reports prompts and calls to it, and gives the agent its rules.",
    activation: { onStartup: true },
    contracts: { agentToolResultMiddleware: ["openclaw"] },
    configSchema: { type: "object", additionalProperties: false },
  },
  null,
  2,
)}\n`;

export const packageText = `${JSON.stringify(
  {
    name: "oldhand-for-openclaw",
    version: "1.0.0",
    description: "Written by oldhand.",
    private: true,
    type: "module",
    openclaw: { extensions: ["./index.js"] },
  },
  null,
  2,
)}\n`;
