import { signal } from "@preact/signals";

/** The current time, shared by all relative times on the page so that one timer updates them. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 10_000);

document.addEventListener("visibilitychange", () => {
  now.value = Date.now();
});
