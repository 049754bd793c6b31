import type { ComponentChildren } from "preact";

type Props = { readonly name: string; readonly title?: string; readonly children: ComponentChildren };

/** One name and its value, inside a `dl`. */
export function DefinitionItem({ name, title, children }: Props) {
  return (
    <div title={title} class="flex min-w-0 items-baseline gap-1.5">
      <dt class="text-faint">{name}</dt>
      <dd class="min-w-0 break-words">{children}</dd>
    </div>
  );
}
