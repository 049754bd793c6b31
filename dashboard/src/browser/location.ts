import { signal } from "@preact/signals";

export type PageLocation = { readonly pathname: string; readonly search: string };

export const currentLocation = signal<PageLocation>(readLocation());

/** Makes every plain link of the page a step of this app, and the back button a step back. */
export function followLinks(): void {
  history.scrollRestoration = "manual";
  document.addEventListener("click", onClick);
  addEventListener("scroll", rememberScroll, { passive: true });
  addEventListener("popstate", ({ state }: PopStateEvent) => {
    currentLocation.value = readLocation();
    scrollSoon(parseScroll(state));
  });
}

export function navigateTo(href: string): void {
  clearTimeout(scrollTimer);
  history.replaceState({ scroll: scrollY }, "");
  history.pushState({ scroll: 0 }, "", href);
  currentLocation.value = readLocation();
  scrollSoon(0);
}

/** Same page, other question (a filter): no new step in the history and no scrolling. */
export function replaceLocation(href: string): void {
  history.replaceState(history.state, "", href);
  currentLocation.value = readLocation();
}

export function getQueryParameter(name: string): string | null {
  return new URLSearchParams(currentLocation.value.search).get(name);
}

function onClick(event: MouseEvent): void {
  const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!plain || event.defaultPrevented || link === null) return;
  if (link.origin !== location.origin || link.target !== "" || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  navigateTo(link.pathname + link.search);
}

let scrollTimer: ReturnType<typeof setTimeout> | undefined;

// Browsers limit how often the history may be written, so only where the scrolling comes to rest.
function rememberScroll(): void {
  clearTimeout(scrollTimer);
  scrollTimer = setTimeout(() => history.replaceState({ scroll: scrollY }, ""), 200);
}

function readLocation(): PageLocation {
  return { pathname: location.pathname, search: location.search };
}

function parseScroll(state: unknown): number {
  const scroll = (state as { scroll?: unknown } | null)?.scroll;
  return typeof scroll === "number" ? scroll : 0;
}

// After the frame in which the new page was rendered; before it, the page may be too short.
function scrollSoon(top: number): void {
  requestAnimationFrame(() => requestAnimationFrame(() => scrollTo({ top, behavior: "instant" })));
}
