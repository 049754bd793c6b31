import { useResource } from "../../api/use-resource.ts";
import { workspaceName } from "../../text/workspace-name.ts";

export type SessionListFilter = {
  readonly host: string | null;
  readonly workspace: string | null;
  readonly failing: boolean;
};

type Props = {
  readonly filter: SessionListFilter;
  readonly onChange: (filter: SessionListFilter) => void;
};

export function SessionFilters({ filter, onChange }: Props) {
  const hosts = useResource("status", {}).value?.hosts.map(({ host }) => host) ?? [];
  // A host named in the address stays selectable even where the status does not know it.
  const choices = filter.host === null || hosts.includes(filter.host) ? hosts : [...hosts, filter.host];
  return (
    <>
      {filter.workspace !== null && (
        <button
          type="button"
          class="press"
          title={filter.workspace}
          onClick={() => onChange({ ...filter, workspace: null })}
        >
          {workspaceName(filter.workspace)} <span aria-label="remove this filter">×</span>
        </button>
      )}
      <label class="flex items-center gap-2 text-soft">
        Host
        <select
          data-filter
          aria-keyshortcuts="/"
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
      <label class="flex items-center gap-2 py-1 text-soft">
        <input
          type="checkbox"
          class="accent-link"
          checked={filter.failing}
          onChange={({ currentTarget }) => onChange({ ...filter, failing: currentTarget.checked })}
        />
        Failing only
      </label>
    </>
  );
}
