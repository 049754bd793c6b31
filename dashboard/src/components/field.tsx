type Props = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** What there is already, to choose from; anything else may be typed. */
  readonly list?: readonly string[];
};

/** A line of text that must be given. */
export function Field({ name, label, hint, list }: Props) {
  return (
    <label class="flex flex-col gap-1 text-sm text-soft">
      <span>
        {label}
        {hint && <span class="text-faint"> ({hint})</span>}
      </span>
      <input name={name} class="field w-full" required autocomplete="off" list={list && `${name}-known`} />
      {list && (
        <datalist id={`${name}-known`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  );
}
