import type { z } from "zod";
import type { Context } from "../../context.ts";

/** What an operation does, so that the tool of agents can do it too. It needs no preparation, and any agent may do it. */
export interface Act<Input extends z.ZodObject, Result> {
  readonly input: Input;
  act(ctx: Context, input: z.output<Input>): Promise<Result>;
}

export function defineAct<Input extends z.ZodObject, Result>(act: Act<Input, Result>): Act<Input, Result> {
  return act;
}
