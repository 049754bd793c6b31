import type { InstallTarget } from "../../protocol/host.ts";
import { renderPluginLink } from "../../wiring/plugin-link.ts";

/** The extension's file. It reports events as pi sends them and applies the replies; `protocol.ts` interprets them. */
export function extensionText(target: Pick<InstallTarget, "command">): string {
  return `// @ts-nocheck
// Written by oldhand. \`oldhand uninstall pi\` removes it.
${renderPluginLink(target)}
export default function (pi) {
  if (!isFirst("pi", import.meta.url)) return;
  const begun = new Map();
  let late = "";
  let wentOn = false;

  const keep = (advice) => {
    late = [late, advice].filter(Boolean).join("\\n");
  };
  /** Shows a line to the person, not to the model. */
  const show = (context, line) => {
    if (line && context.hasUI) context.ui.notify(line, "info");
  };
  const payload = (hook, context, fields) => {
    const session = context.sessionManager?.getSessionId?.();
    const transcript = context.sessionManager?.getSessionFile?.();
    const all = { hook, session, transcript, cwd: context.cwd, model: context.model?.id, ...fields };
    return { ...all, hasScreen: context.hasUI === true };
  };
  const report = (hook, context, fields) =>
    request(payload(hook, context, fields), (advice, line) => {
      keep(advice);
      show(context, line);
    });
  const withLate = (advice) => {
    const text = [late, advice].filter(Boolean).join("\\n");
    late = "";
    return text && "<oldhand>\\n" + text + "\\n</oldhand>";
  };
  const ended = (hook, context, call) => {
    const start = begun.get(call.toolCallId);
    begun.delete(call.toolCallId);
    const durationMs = start === undefined ? null : Date.now() - start.at;
    return report(hook, context, { input: start?.input, ...call, durationMs });
  };

  pi.on("session_start", async ({ reason }, context) => {
    void notify(payload("session_start", context, { reason })).then(({ forPerson }) => show(context, forPerson));
  });
  pi.on("before_agent_start", async ({ prompt }, context) => {
    wentOn = false;
    const { context: advice } = await report("before_agent_start", context, { prompt });
    const content = withLate(advice);
    if (content) return { message: { customType: "oldhand", content, display: false } };
  });
  pi.on("message_end", async ({ message }, context) => {
    if (message?.role !== "user") return;
    const { content, timestamp } = message;
    const texts = typeof content === "string" ? content : content?.filter((part) => part.type === "text");
    void notify(payload("message_end", context, { content: texts, timestamp }));
  });
  pi.on("tool_execution_start", async ({ toolCallId, args }) => {
    begun.set(toolCallId, { at: Date.now(), input: args });
  });
  pi.on("tool_call", async ({ toolName, toolCallId, input }, context) => {
    const { deny, context: advice } = await report("tool_call", context, { toolName, toolCallId, input });
    if (deny) return { block: true, reason: deny };
    keep(advice);
  });
  pi.on("tool_result", async ({ toolName, toolCallId, input, content, isError }, context) => {
    const texts = content?.filter((part) => part.type === "text");
    const call = { toolName, toolCallId, input, content: texts, isError };
    const { context: advice } = await ended("tool_result", context, call);
    const text = withLate(advice);
    if (text) return { content: [...content, { type: "text", text }] };
  });
  // Blocked calls and calls with wrong arguments have no result. Their text is kept for the next reply.
  pi.on("tool_execution_end", async ({ toolName, toolCallId, result, isError }, context) => {
    if (!begun.has(toolCallId)) return;
    const texts = result?.content?.filter((part) => part.type === "text");
    const call = { toolName, toolCallId, content: texts, isError };
    const { context: advice } = await ended("tool_execution_end", context, call);
    keep(advice);
  });
  pi.on("agent_before_settle", async (_event, context) => {
    const { context: advice, forPerson } = await report("agent_before_settle", context, { again: wentOn });
    show(context, forPerson);
    if (!advice || wentOn) return;
    wentOn = true;
    const entry = { type: "custom_message", customType: "oldhand", content: withLate(advice), display: false };
    return { entries: [entry], continue: true };
  });
  pi.on("agent_settled", async (_event, context) => {
    void notify(payload("agent_settled", context, {}));
  });
  pi.on("session_shutdown", async ({ reason }, context) => {
    await report("session_shutdown", context, { reason });
    hangUp();
  });
}
`;
}
