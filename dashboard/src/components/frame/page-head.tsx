import type { ComponentChildren } from "preact";

type Props = {
  readonly title: ComponentChildren;
  readonly lead?: ComponentChildren;
  /** Reserves a second line on a narrow screen, for a lead that comes with the data and may wrap. */
  readonly roomy?: boolean;
  readonly children?: ComponentChildren;
};

/** A page's title, one line about what it shows, and its filters on the right. */
export function PageHead({ title, lead, roomy = false, children }: Props) {
  return (
    <div class="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div class="min-w-0 max-sm:basis-full">
        <h1 tabIndex={-1}>{title}</h1>
        <p class={`text-soft ${roomy ? "min-h-[2lh] sm:min-h-[1lh]" : "min-h-[1lh]"}`}>{lead}</p>
      </div>
      {children && <div class="flex flex-wrap items-center gap-3 max-sm:basis-full">{children}</div>}
    </div>
  );
}
