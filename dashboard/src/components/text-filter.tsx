type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** Narrows what is on the page while typing; `/` brings the cursor here, Escape leaves. */
export function TextFilter({ label, value, onChange }: Props) {
  return (
    <input
      type="search"
      data-filter
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={`${label}  /`}
      class="field w-52 max-sm:w-full"
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
