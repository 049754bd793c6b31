import type { ComponentType } from "preact";
import type { Params } from "./browser/route.ts";

export type View = {
  readonly path: string;
  readonly title: string;
  /** Absent for a page that is only reached from another one. `key` is pressed after `g`. */
  readonly nav?: {
    readonly key: string;
    /** A hook: how many things on the page wait for the owner. */
    readonly useCount?: () => number;
  };
  /** The filters that apply to this page. Default: both. */
  readonly filter?: ViewFilter;
  readonly Page: ComponentType<{ readonly params: Params }>;
};

export type ViewFilter = {
  readonly time: boolean;
  readonly workspace: boolean;
  /** The days that the page counts while no time is chosen. Default: all time. */
  readonly days?: number;
};

/** For a page about one subject, or about things that have neither a time nor a workspace. */
export const noFilter: ViewFilter = { time: false, workspace: false };
export const fullFilter: ViewFilter = { time: true, workspace: true };
