import { sinceStart } from "../../lib/clock.ts";

/** Limits the search for one answer: a disk may be slow and a folder huge. It then ends with what it has. */
export interface LookupBudget {
  /** Uses up one entry; false if none is left or time is up. */
  take(): boolean;
  isOver(): boolean;
}

/** Time runs from the first use. The first entries are free of the time limit: half a folder is of no use. */
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
      // The clock is read only now and then, because it costs as much as an entry.
      return taken % 32 === 0 ? !isOver() : taken < most.entries;
    },
    isOver,
  };
}

const FREE_ENTRIES = 200;
