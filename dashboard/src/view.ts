import type { ComponentType } from "preact";
import type { Params } from "./browser/route.ts";

/** One page: where it lives, how it is called, and what it shows. */
export type View = {
  readonly path: string;
  readonly title: string;
  /** Absent for a page that is reached only from another one. `key` follows `g`. */
  readonly nav?: { readonly key: string };
  /** What the page can be narrowed by; both, where it does not say. */
  readonly filter?: ViewFilter;
  readonly Page: ComponentType<{ readonly params: Params }>;
};

export type ViewFilter = { readonly time: boolean; readonly workspace: boolean };

/** For a page of one thing, or of things that have neither a time nor a workspace. */
export const noFilter: ViewFilter = { time: false, workspace: false };
export const fullFilter: ViewFilter = { time: true, workspace: true };
