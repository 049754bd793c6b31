import type { ComponentChildren } from "preact";

type Props = {
  readonly title: ComponentChildren;
  readonly lead?: ComponentChildren;
  /** The lead comes with the data and may wrap on a narrow screen: its room is kept. */
  readonly roomy?: boolean;
  readonly children?: ComponentChildren;
};

/** The title of a page, one line on what it shows, and on the right its filters. */
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
