import { computed } from "@preact/signals";
import { now } from "./clock.ts";
import { currentLocation, replaceWhole } from "./location.ts";
import { type FilterInput, makeFilterInput, type PageFilter, parseFilter, writeFilter } from "./page-filter.ts";

export const currentFilter = computed(() => parseFilter(currentLocation.value.search));

export function setFilter(filter: Partial<PageFilter>): void {
  const { pathname, search } = currentLocation.value;
  replaceWhole(writeFilter(pathname + search, { ...currentFilter.value, ...filter }));
}

/** The page's filter as operation input. */
export function useFilterInput(): FilterInput {
  return makeFilterInput(currentFilter.value, now.value);
}
