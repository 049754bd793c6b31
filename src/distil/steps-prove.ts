import type { Context } from "../context.ts";
import type { RuleStep } from "./maintain.ts";

export async function proveSteps(_world: Pick<Context, "db" | "clock" | "config">): Promise<readonly RuleStep[]> {
  return [];
}
