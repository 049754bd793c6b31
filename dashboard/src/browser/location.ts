import { signal } from "@preact/signals";
import { carryFilter } from "./page-filter.ts";

export type PageLocation = { readonly pathname: string; readonly search: string };

export const currentLocation = signal<PageLocation>(readLocation());

/** Makes every plain link of the page a step of this app, and the back button a step back. */
export function followLinks(): void {
  history.scrollRestoration = "manual";
  document.addEventListener("click", onClick);
  // Another tab, or a copied address: the browser reads the link itself.
  for (const name of ["auxclick", "contextmenu"]) document.addEventListener(name, ({ target }) => completeLink(target));
  addEventListener("scroll", rememberScroll, { passive: true });
  addEventListener("popstate", ({ state }: PopStateEvent) => {
    currentLocation.value = readLocation();
    scrollSoon(parseScroll(state));
  });
}

/** To another page, with the filter of this one. */
export function navigateTo(href: string): void {
  clearTimeout(scrollTimer);
  history.replaceState({ scroll: scrollY }, "");
  history.pushState({ scroll: 0 }, "", carryFilter(href, location.search));
  currentLocation.value = readLocation();
  scrollSoon(0);
}

/** Same page, other question (a filter): no new step in the history and no scrolling. */
export function replaceLocation(href: string): void {
  replaceWhole(carryFilter(href, location.search));
}

/** The same with exactly this address: for who changes the filter itself. */
export function replaceWhole(href: string): void {
  history.replaceState(history.state, "", href);
  currentLocation.value = readLocation();
}

export function getQueryParameter(name: string): string | null {
  return new URLSearchParams(currentLocation.value.search).get(name);
}

function onClick(event: MouseEvent): void {
  const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = findOwnLink(event.target);
  if (event.defaultPrevented || link === null) return;
  if (!plain) return completeLink(link);
  event.preventDefault();
  navigateTo(getPlainHref(link));
}

function findOwnLink(target: EventTarget | null): HTMLAnchorElement | null {
  const link = target instanceof Element ? target.closest("a") : null;
  if (link === null || link.origin !== location.origin || link.target !== "") return null;
  return link.getAttribute("href")?.startsWith("#") === true ? null : link;
}

/** A link as it was written, and as it was completed for the filter of that moment. */
const completed = new WeakMap<HTMLAnchorElement, { readonly plain: string; readonly whole: string }>();

function getPlainHref(link: HTMLAnchorElement): string {
  const known = completed.get(link);
  const href = link.getAttribute("href") ?? "";
  return known?.whole === href ? known.plain : href;
}

function completeLink(target: EventTarget | null): void {
  const link = findOwnLink(target);
  if (link === null) return;
  const plain = getPlainHref(link);
  const whole = carryFilter(plain, location.search);
  completed.set(link, { plain, whole });
  link.setAttribute("href", whole);
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
