import { useLayoutEffect, useRef } from "preact/hooks";
import { views } from "../../views.ts";

export function Navigation({ pathname }: { readonly pathname: string }) {
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen the links are one scrolling line: keep the current one in view.
  useLayoutEffect(() => {
    const [line, link] = [nav.current, nav.current?.querySelector<HTMLElement>("[aria-current]")];
    if (!line || !link) return;
    const [around, inside] = [line.getBoundingClientRect(), link.getBoundingClientRect()];
    if (inside.right > around.right) line.scrollLeft += inside.right - around.right + SEEN_PAST;
    else if (inside.left < around.left) line.scrollLeft -= around.left - inside.left + SEEN_PAST;
  }, [pathname]);
  return (
    // Relative, so that texts for screen readers inside do not make the page wider.
    <nav ref={nav} aria-label="Pages" class="relative max-md:overflow-x-auto md:px-2">
      <ul class="flex max-md:px-2 md:flex-col md:gap-px">
        {views
          .filter((view) => view.nav)
          .map((view) => (
            <li key={view.path}>
              <NavLink
                href={view.path}
                title={view.title}
                keys={`g ${view.nav?.key}`}
                useCount={view.nav?.useCount ?? useNoCount}
                current={isWithin(pathname, view.path)}
                exact={pathname === view.path}
              />
            </li>
          ))}
      </ul>
    </nav>
  );
}

// In pixels, so that part of the next link is visible.
const SEEN_PAST = 24;

type LinkProps = {
  readonly href: string;
  readonly title: string;
  readonly keys: string;
  readonly useCount: () => number;
  readonly current: boolean;
  readonly exact: boolean;
};

function useNoCount(): number {
  return 0;
}

function NavLink({ href, title, keys, useCount, current, exact }: LinkProps) {
  const count = useCount();
  const look = current
    ? "text-ink font-medium border-brass md:bg-sunken"
    : "text-soft border-transparent hover:text-ink";
  return (
    <a
      href={href}
      aria-current={exact ? "page" : current ? "true" : undefined}
      aria-keyshortcuts={keys}
      class={`group flex items-center justify-between border-b-2 px-2.5 py-2 hover:no-underline max-sm:px-1.5 max-sm:text-sm md:rounded-r md:border-b-0 md:border-l-2 md:px-3 md:py-1.5 ${look}`}
    >
      <span class="whitespace-nowrap">
        {title}
        {count > 0 && (
          <span class="ml-1.5 rounded-full bg-warn px-1.5 py-px text-xs font-medium text-paper">
            {count}
            <span class="sr-only"> waiting</span>
          </span>
        )}
      </span>
      <kbd
        aria-hidden="true"
        class="text-[0.6875rem] text-faint opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100 max-md:hidden"
      >
        {keys}
      </kbd>
    </a>
  );
}

function isWithin(pathname: string, path: string): boolean {
  return path === "/" ? pathname === "/" : pathname === path || pathname.startsWith(`${path}/`);
}
