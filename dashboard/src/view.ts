import type { ComponentType } from "preact";
import type { Params } from "./browser/route.ts";

/** One page: where it lives, how it is called, and what it shows. */
export type View = {
  readonly path: string;
  readonly title: string;
  /** Absent for a page that is reached only from another one. `key` follows `g`. */
  readonly nav?: { readonly key: string };
  readonly Page: ComponentType<{ readonly params: Params }>;
};
