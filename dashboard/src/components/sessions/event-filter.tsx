import { TextFilter } from "../text-filter.tsx";

/** Selects the events of a session to show. */
export type EventListFilter = { readonly words: string; readonly failed: boolean };

export const allEvents: EventListFilter = { words: "", failed: false };

type Props = {
  readonly filter: EventListFilter;
  readonly onChange: (filter: EventListFilter) => void;
  /** How many events match, of how many. */
  readonly found: string;
};

export function EventFilter({ filter, onChange, found }: Props) {
  return (
    <div class="mt-3 mb-2 flex flex-wrap items-center gap-x-4 gap-y-1.5">
      <TextFilter label="Filter events" value={filter.words} onChange={(words) => onChange({ ...filter, words })} />
      <label class="flex items-center gap-2 py-1 text-soft">
        <input
          type="checkbox"
          class="accent-link"
          checked={filter.failed}
          onChange={({ currentTarget }) => onChange({ ...filter, failed: currentTarget.checked })}
        />
        Failed only
      </label>
      <span role="status" class="text-sm text-faint">
        {found}
      </span>
    </div>
  );
}
