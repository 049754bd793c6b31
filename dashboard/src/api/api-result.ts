import type { Operations } from "./contract.ts";

/** The route of an operation, such as `rules/list`. */
export type OperationRoute = keyof Operations;
export type Input<O extends OperationRoute> = Operations[O]["input"];
export type Output<O extends OperationRoute> = Operations[O]["output"];

export type ApiProblem = {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
};

export type ApiResult<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly problem: ApiProblem };
