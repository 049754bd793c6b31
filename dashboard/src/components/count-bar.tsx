/** A share as a thin bar. Hidden from screen readers, because the number is next to it. */
export function CountBar({ share }: { readonly share: number }) {
  return (
    <svg class="mt-1 block h-[3px] w-full" aria-hidden="true">
      <rect class="fill-line" width="100%" height="3" rx="1.5" />
      <rect class="fill-fail" width={`${Math.max(2, share * 100)}%`} height="3" rx="1.5" />
    </svg>
  );
}
