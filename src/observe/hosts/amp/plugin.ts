import type { InstallTarget } from "../../protocol/host.ts";
import { renderPluginLink } from "../../wiring/plugin-link.ts";

/** The plugin's file. It reports events as Amp sends them and applies the replies; `protocol.ts` interprets them. */
export function pluginText(target: Pick<InstallTarget, "command">): string {
  return `// @ts-nocheck
// Written by oldhand. \`oldhand uninstall amp\` removes it.
${renderPluginLink(target)}
export const description = "Reports prompts and calls to oldhand, and gives the agent its rules.";

export default function (amp) {
  if (!isFirst("amp", import.meta.url)) return;
  const begun = new Map();
  const late = new Map();
  const live = new Set();

  // The plugin's process runs in another folder than the agent.
  const folder = () => {
    const { workspaceRoot } = amp.system;
    return workspaceRoot ? amp.helpers.filePathFromURI(workspaceRoot) : undefined;
  };
  /** Keeps text that came too late, or with a result that cannot hold text, for the next reply. */
  const keep = (thread, context) => {
    if (context) late.set(thread, [late.get(thread), context].filter(Boolean).join("\\n"));
  };
  const payload = (hook, thread, fields) => {
    live.add(thread);
    return { hook, thread, cwd: folder(), ...fields };
  };
  const report = (hook, thread, fields) =>
    request(payload(hook, thread, fields), (context) => keep(thread, context));
  const withLate = (thread, context) => {
    const text = [late.get(thread), context].filter(Boolean).join("\\n");
    late.delete(thread);
    return text && "<oldhand>\\n" + text + "\\n</oldhand>";
  };
  /** An error in oldhand must not disturb the host. */
  const on = (name, silence, handler) =>
    amp.on(name, async (event) => {
      try {
        return (await handler(event)) ?? silence;
      } catch {
        return silence;
      }
    });

  on("session.start", undefined, ({ thread }) => {
    void notify(payload("session.start", thread.id, {}));
  });
  on("agent.start", {}, async ({ thread, id, message }) => {
    const { context } = await report("agent.start", thread.id, { id, message });
    const content = withLate(thread.id, context);
    if (content) return { message: { content, display: false } };
  });
  on("tool.call", { action: "allow" }, async ({ thread, toolUseID, tool, input }) => {
    begun.set(toolUseID, Date.now());
    const { deny, context } = await report("tool.call", thread.id, { toolUseID, tool, input });
    if (deny) return { action: "reject-and-continue", message: deny };
    keep(thread.id, context);
  });
  on("tool.result", undefined, async ({ thread, toolUseID, tool, input, status, error, output }) => {
    const durationMs = begun.has(toolUseID) ? Date.now() - begun.get(toolUseID) : null;
    begun.delete(toolUseID);
    const call = { toolUseID, tool, input, status, error, output: textsOf(output), durationMs };
    const { context } = await report("tool.result", thread.id, call);
    const text = withLate(thread.id, context);
    if (!text) return;
    if (status === "error" && output === undefined) return { status, error: [error, text].filter(Boolean).join("\\n\\n") };
    const more = withText(output, text);
    if (more === null) return keep(thread.id, text);
    return status === "done" ? { status, output: more } : { status, error, output: more };
  });
  on("agent.end", undefined, ({ thread, status }) => {
    void notify(payload("agent.end", thread.id, { status }));
  });
  amp.onDispose?.(async () => {
    await Promise.all([...live].map((thread) => report("dispose", thread, {})));
    hangUp();
  });
}

/** Images are not reported. */
function textsOf(output) {
  return Array.isArray(output) ? output.filter((part) => part?.type === "text") : output;
}

/** Returns null if the result cannot hold text. */
function withText(output, text) {
  if (output === undefined || output === null) return text;
  if (typeof output === "string") return output + "\\n\\n" + text;
  if (Array.isArray(output)) return [...output, { type: "text", text }];
  return typeof output.output === "string" ? { ...output, output: output.output + "\\n\\n" + text } : null;
}
`;
}
