import type { ModelRef } from "../../domain/model/model-ref.ts";
import { mayGetSecrets } from "../../domain/model/secrets-to.ts";
import { findNewMarks } from "../../domain/redact/written-marks.ts";
import { findEndpoint } from "../../models/providers/registry.ts";
import type { RunningTurn } from "./turn-parts.ts";

/** What the person typed is not what is stored: they should know, and need not type it again. Told when it is known who gets it. */
export async function noteSecrets(turn: RunningTurn, text: string): Promise<void> {
  if (turn.session.parent !== null) return;
  const marks = findNewMarks(text, await turn.redact(text));
  if (marks.length > 0) turn.secrets = { marks, told: [] };
}

/** Before a request is sent to a model, and for null if none is. Once for each way in which a provider gets it. */
export function tellOfSecrets(turn: RunningTurn, model: ModelRef | null): void {
  const { secrets, emit } = turn;
  if (secrets === null) return;
  const way = model === null ? "nobody" : findWay(turn, model);
  if (secrets.told.includes(way) || (way === "nobody" && secrets.told.length > 0)) return;
  turn.secrets = { ...secrets, told: [...secrets.told, way] };
  const which = secrets.marks.slice(0, MOST_MARKS).join(", ");
  const { provider = "" } = model ?? {};
  const gets = {
    placeholder: `${provider} gets a placeholder; tools get the true value (models.secretsTo names providers that get it too).`,
    clear: `${provider} gets it as it is, because models.secretsTo allows that (\`oldhand config get models.secretsTo\`).`,
    nobody: "no model has got it.",
  };
  emit({
    kind: "notice",
    text: `Your message has what looks like a secret. It is stored as ${which}, and ${gets[way]}`,
  });
}

function findWay({ ctx }: RunningTurn, { provider }: ModelRef): "placeholder" | "clear" {
  const isLoopback = findEndpoint(provider, ctx.config.providers)?.isLoopback ?? false;
  return mayGetSecrets(ctx.config.policy.models.secretsTo, { provider, isLoopback }) ? "clear" : "placeholder";
}

const MOST_MARKS = 5;
