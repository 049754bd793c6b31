import { signal } from "@preact/signals";
import { carryFilter } from "./page-filter.ts";

export type PageLocation = { readonly pathname: string; readonly search: string };

export const currentLocation = signal<PageLocation>(readLocation());

/** Handles clicks on internal links and the back button without reloading the page. */
export function followLinks(): void {
  history.scrollRestoration = "manual";
  document.addEventListener("click", onClick);
  // For a new tab or a copied address the browser reads the link itself, so it must contain the filter.
  for (const name of ["auxclick", "contextmenu"]) document.addEventListener(name, ({ target }) => completeLink(target));
  addEventListener("scroll", rememberScroll, { passive: true });
  addEventListener("popstate", ({ state }: PopStateEvent) => {
    currentLocation.value = readLocation();
    scrollSoon(parseScroll(state));
  });
}

/** Opens another page and keeps the filter. */
export function navigateTo(href: string): void {
  clearTimeout(scrollTimer);
  history.replaceState({ scroll: scrollY }, "");
  history.pushState({ scroll: 0 }, "", carryFilter(href, location.search));
  currentLocation.value = readLocation();
  scrollSoon(0);
}

/** Changes the query of the current page, without a history entry and without scrolling. */
export function replaceLocation(href: string): void {
  replaceWhole(carryFilter(href, location.search));
}

/** Like `replaceLocation`, but with exactly this address: for code that changes the filter itself. */
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

/** A link's original href, and the href completed with the filter at that time. */
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

// Browsers limit how often the history may be written, so write only after scrolling stops.
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

// Scrolls after the frame that rendered the new page; before it, the page may be too short.
function scrollSoon(top: number): void {
  requestAnimationFrame(() => requestAnimationFrame(() => scrollTo({ top, behavior: "instant" })));
}
