type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** Filters the page while typing; `/` focuses it, Escape leaves it. */
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
