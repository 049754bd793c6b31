/** Rotates when the surrounding `details` (with class `group`) opens. */
export function Chevron() {
  return (
    <svg
      class="size-3 shrink-0 stroke-faint transition-transform group-open:rotate-90 motion-reduce:transition-none"
      viewBox="0 0 12 12"
      fill="none"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d="m4.5 2.5 3.5 3.5-3.5 3.5" />
    </svg>
  );
}
