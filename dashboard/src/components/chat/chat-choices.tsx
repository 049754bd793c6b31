import { type ChatMode, chatModes } from "../../api/chat.ts";
import { useQueryOnce } from "../../api/use-query-once.ts";

const modeTitles: Readonly<Record<ChatMode, string>> = {
  "read-only": "It reads, and changes nothing.",
  ask: "It asks before edits, commands and whatever goes outside.",
  edit: "It edits files of the workspace without a question, and asks before the rest.",
  unattended: "It asks nobody. Commands run in a sandbox.",
};

type ModeProps = {
  /** Null: as the setting `chat.mode` says. */
  readonly mode: ChatMode | null;
  readonly onChange: (mode: ChatMode | null) => void;
};

export function ModeChoice({ mode, onChange }: ModeProps) {
  return (
    <label
      class="flex items-center gap-1.5 text-sm text-soft"
      title={mode === null ? "As the setting chat.mode says." : modeTitles[mode]}
    >
      <span class="max-sm:sr-only">Mode</span>
      <select
        class="field py-0.5 text-sm"
        value={mode ?? ""}
        onChange={({ currentTarget }) => onChange(chatModes.find((one) => one === currentTarget.value) ?? null)}
      >
        {mode === null && <option value="">as set</option>}
        {chatModes.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

type ModelProps = {
  /** Null: the router chooses. */
  readonly model: string | null;
  readonly onChange: (model: string | null) => void;
};

export function ModelChoice({ model, onChange }: ModelProps) {
  const { value } = useQueryOnce("models/list", {});
  const listed = value?.models ?? [];
  const isKnown = model === null || listed.some((one) => one.model === model);
  return (
    <label class="flex min-w-0 items-center gap-1.5 text-sm text-soft">
      <span class="max-sm:sr-only">Model</span>
      <select
        class="field max-w-56 min-w-0 truncate py-0.5 text-sm max-sm:max-w-36"
        value={model ?? ""}
        onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
      >
        <option value="">the router chooses</option>
        {!isKnown && <option value={model}>{model}</option>}
        {listed.map((one) => (
          <option key={one.model} value={one.model} disabled={!one.isUsable}>
            {one.model}
          </option>
        ))}
      </select>
    </label>
  );
}
