/** The logo: a tally of five, because repeated mistakes become rules. */
export function Wordmark() {
  return (
    <span class="inline-flex items-center gap-2 text-[1.0625rem] font-semibold tracking-tight text-ink">
      <svg class="size-5" viewBox="0 0 20 20" fill="none" stroke-width="1.8" stroke-linecap="round" aria-hidden="true">
        <path class="stroke-ink" d="M4.6 3v14M8.2 3v14M11.8 3v14M15.4 3v14" />
        <path class="stroke-brass" d="M1.5 15 18.5 5" stroke-width="2" />
      </svg>
      oldhand
    </span>
  );
}
