import { sinceStart } from "../../lib/clock.ts";

/** How much may be looked at for one answer. A disk may be slow and a folder huge: the look ends, and what was seen counts. */
export interface LookupBudget {
  /** Takes one of the entries that may still be looked at; false where there is none left, or no time. */
  take(): boolean;
  isOver(): boolean;
}

/** The time runs from the first look on. A few entries may be looked at however long that takes: nobody is served by half a folder. */
export function newLookupBudget(most: { readonly entries: number; readonly ms: number }): LookupBudget {
  let until: number | null = null;
  let taken = 0;
  const isOver = () => {
    until ??= sinceStart() + most.ms;
    return taken >= most.entries || (taken > FREE_ENTRIES && sinceStart() > until);
  };
  return {
    take: () => {
      taken += 1;
      // The clock is asked now and then: it costs as much as an entry.
      return taken % 32 === 0 ? !isOver() : taken < most.entries;
    },
    isOver,
  };
}

const FREE_ENTRIES = 200;
