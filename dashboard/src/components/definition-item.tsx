import type { ComponentChildren } from "preact";

/** One name and its value, inside a `dl`. */
export function DefinitionItem({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="flex min-w-0 items-baseline gap-1.5">
      <dt class="text-faint">{name}</dt>
      <dd class="min-w-0 break-words">{children}</dd>
    </div>
  );
}
