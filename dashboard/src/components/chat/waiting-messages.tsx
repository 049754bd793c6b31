import type { ApiProblem } from "../../api/api-result.ts";
import { callChat, type WaitingMessage } from "../../api/chat.ts";

type Props = {
  readonly session: string;
  readonly waiting: readonly WaitingMessage[];
  readonly isWorking: boolean;
  readonly onProblem: (problem: ApiProblem | null) => void;
};

/** Messages that are stored and not sent yet. */
export function WaitingMessages({ session, waiting, isWorking, onProblem }: Props) {
  if (waiting.length === 0) return null;
  const call = async (result: ReturnType<typeof callChat<"remove-waiting" | "send-waiting">>) => {
    const done = await result;
    onProblem(done.kind === "failed" ? done.problem : null);
  };
  return (
    <ul aria-label="Messages that wait" class="flex flex-col gap-1">
      {waiting.map((message, index) => (
        <li key={message.id} class="flex items-start gap-3 border-l-2 border-dashed border-link py-1 pl-3 text-sm">
          <div class="min-w-0 flex-1">
            <p class="text-xs text-soft">
              {!isWorking ? "waits" : message.kind === "steer" ? "for the next call of this turn" : "after this turn"}
            </p>
            <p class="line-clamp-3 [overflow-wrap:anywhere] whitespace-pre-wrap">{message.text}</p>
          </div>
          {!isWorking && index === 0 && (
            <button type="button" class="press" onClick={() => void call(callChat("send-waiting", { session }))}>
              Send now
            </button>
          )}
          <button
            type="button"
            class="press"
            onClick={() => void call(callChat("remove-waiting", { session, message: message.id }))}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}
