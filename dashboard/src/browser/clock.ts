import { signal } from "@preact/signals";

/** The time of day for every "ago" on the page; one timer moves them all. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 10_000);

document.addEventListener("visibilitychange", () => {
  now.value = Date.now();
});
