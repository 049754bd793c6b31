import type { ModelRef } from "../../../../domain/model/model-ref.ts";
import type { Gateway, GatewayAnswer, GatewayRequest } from "../../../../models/gateway/gateway.ts";

/** The calls of one cycle: they count for its goal and for the job `cycle`, and together cost no more than the limit. */
export interface GoalGateway extends Gateway {
  /** In dollars. */
  spent(): number;
  /** A call was not made, because of the limit. */
  isOverLimit(): boolean;
  /** The ids of the calls that were answered. */
  calls(): readonly string[];
}

export interface GoalCalls {
  readonly goal: string;
  readonly taskType: string;
  /** In dollars. */
  readonly limit: number;
  /** Models that failed at this task, according to its check. */
  readonly failed: readonly ModelRef[];
}

export const CYCLE_JOB = "cycle";

export function newGoalGateway(plain: Gateway, { goal, taskType, limit, failed }: GoalCalls): GoalGateway {
  let spent = 0;
  let isOver = false;
  const calls: string[] = [];
  const dress = (request: GatewayRequest): GatewayRequest => ({
    ...request,
    ...{ goal, job: CYCLE_JOB, costLimit: { limit, spent, name: LIMIT_SETTING } },
    taskType: request.taskType === "chat" ? taskType : request.taskType,
    ...(request.taskType === "chat" ? { checked: true, failed } : {}),
  });
  const note = (answer: GatewayAnswer) => {
    spent += answer.cost;
    if (answer.cap?.cap === LIMIT_SETTING) isOver = true;
    if (answer.outcome === "ok") calls.push(answer.call);
    return answer;
  };
  return {
    complete: async (request) => note(await plain.complete(dress(request))),
    stream: async function* stream(request) {
      for await (const event of plain.stream(dress(request))) {
        if (event.kind === "end") note(event.answer);
        yield event;
      }
    },
    redact: (scope, value) => plain.redact(scope, value),
    recordQuality: (call, quality) => plain.recordQuality(call, quality),
    spent: () => spent,
    isOverLimit: () => isOver,
    calls: () => calls,
  };
}

const LIMIT_SETTING = "goals.cycleCost";
