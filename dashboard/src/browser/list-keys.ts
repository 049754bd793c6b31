/** The element of a row that Enter activates: its link, its summary, or its first button. */
const OPENS = "a[href], summary, button:not([disabled])";

/** Moves the focus to the next or previous list row. Returns false if there is none. */
export function moveInLists(direction: "next" | "previous"): boolean {
  const rows = listRows();
  const step = direction === "next" ? 1 : -1;
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const start = at === -1 ? findFirstInView(rows) : at + step;
  for (let next = start; next >= 0 && next < rows.length; next += step) {
    const opens = rows[next]?.querySelector<HTMLElement>(OPENS);
    if (!opens) continue;
    opens.focus({ preventScroll: true });
    rows[next]?.scrollIntoView({ block: "nearest" });
    return true;
  }
  return false;
}

/** Rows of nested lists do not count. */
function listRows(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("main li")].filter(
    (row) => row.parentElement?.closest("li") === null && row.checkVisibility(),
  );
}

function findFirstInView(rows: readonly HTMLElement[]): number {
  const found = rows.findIndex((row) => row.getBoundingClientRect().top >= 0);
  return found === -1 ? 0 : found;
}
