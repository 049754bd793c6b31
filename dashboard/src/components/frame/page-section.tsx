import type { ComponentChildren } from "preact";

type Props = {
  readonly title: string;
  readonly more?: { readonly href: string; readonly text: string };
  readonly children: ComponentChildren;
};

export function PageSection({ title, more, children }: Props) {
  return (
    <section class="min-w-0">
      <div class="mb-2 flex items-baseline justify-between gap-4">
        <h2>{title}</h2>
        {more && (
          <a href={more.href} class="text-sm">
            {more.text}
          </a>
        )}
      </div>
      {children}
    </section>
  );
}
