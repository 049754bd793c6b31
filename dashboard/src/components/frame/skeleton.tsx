const widths = ["w-3/5", "w-2/5", "w-1/2", "w-2/3", "w-1/3"];

/** A placeholder for a list that is loading, so that the layout does not jump. */
export function Skeleton({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div class="late divide-y divide-line border-y border-line" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="flex h-12 items-center">
          <span class={`h-2.5 rounded bg-line ${widths[row % widths.length]}`} />
        </div>
      ))}
    </div>
  );
}
