import { useResource } from "../../api/use-resource.ts";

export type SessionListFilter = {
  readonly host: string | null;
  readonly failing: boolean;
};

type Props = {
  readonly filter: SessionListFilter;
  /** True if the list can be limited to sessions with failures. */
  readonly canFail: boolean;
  readonly onChange: (filter: SessionListFilter) => void;
};

export function SessionFilters({ filter, canFail, onChange }: Props) {
  const hosts = useResource("status", {}).value?.hosts.map(({ host }) => host) ?? [];
  // A host from the address stays selectable even if `status` does not list it.
  const choices = filter.host === null || hosts.includes(filter.host) ? hosts : [...hosts, filter.host];
  return (
    <>
      <label class="flex items-center gap-2 text-soft">
        Host
        <select
          class="field"
          value={filter.host ?? ""}
          onChange={({ currentTarget }) => onChange({ ...filter, host: currentTarget.value || null })}
        >
          <option value="">all</option>
          {choices.map((host) => (
            <option key={host} value={host}>
              {host}
            </option>
          ))}
        </select>
      </label>
      {canFail && (
        <label class="flex items-center gap-2 py-1 text-soft">
          <input
            type="checkbox"
            class="accent-link"
            checked={filter.failing}
            onChange={({ currentTarget }) => onChange({ ...filter, failing: currentTarget.checked })}
          />
          Failing only
        </label>
      )}
    </>
  );
}
