type Props = {
  readonly label: string;
  readonly value: string | null;
  readonly choices: readonly string[];
  /** What choosing none is called; null where one must be chosen. */
  readonly none?: string | null;
  readonly onChange: (value: string | null) => void;
};

/** One of a few, or all of them. */
export function ChoiceField({ label, value, choices, none = "all", onChange }: Props) {
  // What the address names stays selectable even where nothing here is called so.
  const all = value === null || choices.includes(value) ? choices : [...choices, value];
  return (
    <label class="flex items-center gap-2 text-soft">
      {label}
      <select class="field" value={value ?? ""} onChange={({ currentTarget }) => onChange(currentTarget.value || null)}>
        {none !== null && <option value="">{none}</option>}
        {all.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}
