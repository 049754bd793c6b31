import type { InstallTarget } from "../../protocol/host.ts";
import { renderPluginLink } from "../../wiring/plugin-link.ts";

/**
 * The plugin's file. It reports events as opencode sends them and applies the replies; `protocol.ts` interprets them.
 */
export function pluginText(target: Pick<InstallTarget, "command">): string {
  return `// Written by oldhand. \`oldhand uninstall opencode\` removes it.
${renderPluginLink(target)}
const turns = new Set(["session.created", "session.idle"]);

/** If opencode shows its own screen, plugins run in a worker beside it. */
const hasScreen = /[\\\\/]tui[\\\\/]/.test(process.argv[1] ?? "");

export const Oldhand = async ({ directory, client }) => {
  if (!isFirst("opencode", import.meta.url)) return {};
  const parents = new Map();
  const models = new Map();
  const begun = new Map();
  const late = new Map();
  const live = new Set();
  /** Texts for failed calls, by call id. They are added to the errors in every request. */
  const ofFailures = new Map();
  let changesRequests = false;

  const root = (session) => {
    let top = session;
    for (let depth = 0; depth < 20 && parents.has(top); depth++) top = parents.get(top);
    return top;
  };
  /** Keeps text that came too late, or with a failed call that has no result, for the next reply. */
  const keep = (session, context) => {
    if (context) late.set(session, [late.get(session), context].filter(Boolean).join("\\n"));
  };
  /** Shows a line to the person, not to the model. */
  const show = (line) => {
    if (line && hasScreen)
      void client.tui
        .showToast({ body: { message: line, variant: "info", duration: 15_000 } })
        .catch(() => {});
  };
  const payload = (hook, session, fields) => {
    live.add(root(session));
    return { hook, directory, session, root: root(session), model: models.get(session), hasScreen, ...fields };
  };
  const report = (hook, session, fields) =>
    request(payload(hook, session, fields), (context, line) => {
      keep(session, context);
      show(line);
    });
  const withLate = (session, context) => {
    const text = [late.get(session), context].filter(Boolean).join("\\n");
    late.delete(session);
    return text;
  };

  return {
    event: async ({ event }) => {
      const { type, properties } = event;
      const info = properties?.info;
      if (info?.parentID && type.startsWith("session.")) parents.set(info.id, info.parentID);
      if (turns.has(type))
        void notify(payload(type, properties.sessionID ?? info?.id, {})).then(({ forPerson }) => show(forPerson));
      const part = type === "message.part.updated" ? properties.part : null;
      if (part?.type !== "tool" || part.state?.status !== "error") return;
      begun.delete(part.callID);
      // Waits for the reply only if requests can be changed.
      const reply = changesRequests ? report(type, part.sessionID, { part }) : notify(payload(type, part.sessionID, { part }));
      const text = reply.then(({ context }) => {
        if (!changesRequests) keep(part.sessionID, context);
        return context;
      });
      if (changesRequests) ofFailures.set(part.callID, text);
      if (ofFailures.size > 500) ofFailures.delete(ofFailures.keys().next().value);
    },
    "experimental.chat.messages.transform": async (_input, { messages }) => {
      changesRequests = true;
      for (const part of (messages ?? []).flatMap((one) => one.parts ?? [])) {
        const text = part.state?.status === "error" ? await ofFailures.get(part.callID) : null;
        if (text && !part.state.error?.includes(text))
          part.state = { ...part.state, error: part.state.error + "\\n\\n<oldhand>\\n" + text + "\\n</oldhand>" };
      }
    },
    "chat.message": async (input, output) => {
      const { message, parts } = output;
      models.set(input.sessionID, message?.model?.modelID);
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
      const { context } = await report("chat.message", input.sessionID, { messageID: message?.id, texts });
      const text = withLate(input.sessionID, context);
      const last = parts.at(-1);
      // opencode sorts parts by their ids.
      if (text && last) {
        const { messageID, sessionID } = last;
        parts.push({ id: last.id + "0", messageID, sessionID, type: "text", text, synthetic: true });
      }
    },
    "tool.execute.before": async (input, output) => {
      begun.set(input.callID, Date.now());
      const { tool, callID } = input;
      const fields = { tool, callID, args: output.args };
      const { deny, context } = await report("tool.execute.before", input.sessionID, fields);
      if (deny) throw new Error(deny);
      keep(input.sessionID, context);
    },
    "tool.execute.after": async (input, output) => {
      const durationMs = begun.has(input.callID) ? Date.now() - begun.get(input.callID) : null;
      begun.delete(input.callID);
      const { tool, callID, args } = input;
      const result = { output: output?.output, content: output?.content, exit: output?.metadata?.exit };
      const fields = { tool, callID, args, result, durationMs };
      const { context } = await report("tool.execute.after", input.sessionID, fields);
      if (typeof output?.output !== "string") return keep(input.sessionID, context);
      const text = withLate(input.sessionID, context);
      if (text) output.output += "\\n\\n<oldhand>\\n" + text + "\\n</oldhand>";
    },
    dispose: async () => {
      await Promise.all([...live].map((session) => report("dispose", session, {})));
      live.clear();
      hangUp();
    },
  };
};
`;
}
