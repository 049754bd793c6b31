import { attend } from "../../attend/attend.ts";
import { type Config, isOff } from "../../config.ts";
import type { Context } from "../../context.ts";
import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import { oldhandProtocol } from "../../observe/hosts/oldhand/protocol.ts";
import type { HookEventDetails, Reply } from "../../observe/protocol/hook-event.ts";
import type { Protocol } from "../../observe/protocol/host.ts";
import { blankEvent, redactAndCap } from "../../observe/protocol/to-event.ts";
import { appendEvents } from "../../store/events/events.ts";
import { closeHolds } from "../../store/shown/shown.ts";
import type { OwnCall, OwnHost, Redactor } from "../turn/turn-parts.ts";

type HostContext = Pick<Context, "db" | "config" | "clock" | "models">;

export function newOwnHost(
  ctx: HostContext,
  session: {
    /** Under which its events are stored. */
    readonly id: string;
    readonly cwd: string;
    readonly workspace: string;
    /** The sub-agent; null for the main agent. */
    readonly agent: string | null;
    readonly hasPerson: boolean;
    readonly redact: Redactor;
    /** Shows the person one line, such as a rule that was learned. */
    readonly notify?: (text: string) => void;
  },
): OwnHost {
  const { id, cwd, workspace, agent, hasPerson, redact, notify } = session;
  // A turn that runs when oldhand is switched off goes on, and nothing is learned from it.
  const isSwitchedOff = () => isOff(ctx.config.off, workspace);
  const protocol: Protocol = {
    ...oldhandProtocol,
    logAccess: "own",
    ...(notify === undefined ? {} : { personMoments: ["prompt", "stop"] }),
    calls: { note: "with the result", refusal: "the call", asks: hasPerson ? "yes" : "no", holds: true },
  };
  // The prompt's own layers say what other hosts are told at the start.
  const quietly = ({ policy, ...config }: Config): Config => ({
    ...config,
    policy: { ...policy, recall: { ...policy.recall, speakAtStart: false } },
  });
  const tell = async (details: HookEventDetails, config = ctx.config): Promise<Reply> => {
    if (isSwitchedOff()) return {};
    const common = { host: AGENT_HOST, session: id, cwd, model: null, agent, transcript: null };
    // Without a person, what is for the person waits for one.
    const events = [{ ...common, ...(notify === undefined ? { hasScreen: false } : {}), ...details }];
    const reply = await attend({ ...ctx, config }, { host: AGENT_HOST, protocol, workspace, events });
    if (reply.forPerson !== undefined) notify?.(reply.forPerson);
    return reply;
  };
  /** A call of this answer of the model was refused, maybe by a hold. */
  let hasStopped = false;
  const clean = async (call: OwnCall): Promise<OwnCall> => ({ ...call, input: await redact(call.input) });
  return {
    start: async (source) => void (await tell({ moment: "session-start", source }, quietly(ctx.config))),
    prompt: async (prompt, promptId) =>
      (await tell({ moment: "prompt", prompt: await redact(prompt), promptId })).context ?? null,
    beforeCall: async (call) => {
      const reply = await tell({ moment: "before-call", reportsBatch: true, ...(await clean(call)) });
      hasStopped ||= reply.decision?.kind === "deny";
      return reply;
    },
    endBatch: async () => {
      if (hasStopped) await closeHolds(ctx.db, { host: AGENT_HOST, session: id, agent });
      hasStopped = false;
    },
    afterCall: async (call, { ok, text, exitCode = null }, durationMs) =>
      (await tell({ moment: "after-call", ...(await clean(call)), ok, text: await redact(text), exitCode, durationMs }))
        .context ?? null,
    answer: async (text, call, model) => {
      if (isSwitchedOff() || text === "") return;
      const kept = redactAndCap(await redact(text), ctx.config.policy.observe.payloadCharacters);
      const at = ctx.clock.now();
      const place = { host: AGENT_HOST, session: id, workspace, cwd, agent };
      await appendEvents(ctx.db, [
        { ...blankEvent, ...place, kind: "answer", uid: `answer:${call}`, at, text: kept, model },
      ]);
    },
    stop: async (text) => {
      const said = await redact(text);
      await tell({ moment: "stop", again: false, ...(/\[[A-Z_]+\]\s*\{/.test(said) ? { said } : {}) });
    },
    end: async (reason) => void (await tell({ moment: "session-end", reason })),
  };
}
