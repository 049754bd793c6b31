type Props = {
  readonly label: string;
  readonly value: string | null;
  readonly choices: readonly string[];
  /** The label for "nothing selected"; null if a choice is required. */
  readonly none?: string | null;
  readonly onChange: (value: string | null) => void;
};

/** A select field with an optional "all" entry. */
export function ChoiceField({ label, value, choices, none = "all", onChange }: Props) {
  // A value from the address stays selectable even if no choice has it.
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
