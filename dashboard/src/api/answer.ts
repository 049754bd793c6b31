import type { Operations } from "./contract.ts";

/** As its route: `rules/list`. */
export type Operation = keyof Operations;
export type Input<O extends Operation> = Operations[O]["input"];
export type Output<O extends Operation> = Operations[O]["output"];

export type Problem = {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
};

export type Answer<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly problem: Problem };
