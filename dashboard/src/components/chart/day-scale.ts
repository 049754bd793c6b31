/**
 * An axis end at or above `most`: 1, 2, 4, 5 or 10 times a power of ten. For counts it is at least 2, and 5 becomes 6, so
 * that its half is whole. With `least` 0 it may be a fraction.
 */
export function roundUp(most: number, least = 2): number {
  if (most <= least) return least === 0 ? 1 : least;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 4, 5, 10].find((one) => one * power >= most) ?? 10;
  const end = step * power;
  return least === 0 || end % 2 === 0 ? end : end + 1;
}

/** A dash where nothing is known. */
export function formatOr(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}

/** Indexes of the days that get a label: the last day and earlier ones at equal steps, at most `room`. */
export function pickLabels(count: number, room: number): readonly number[] {
  if (count === 0) return [];
  if (count <= room) return Array.from({ length: count }, (_, index) => index);
  const step = Math.ceil((count - 1) / (room - 1));
  const picked = Array.from({ length: room }, (_, index) => count - 1 - index * step).filter((index) => index >= 0);
  return picked.toReversed();
}

/** "17 Nov"; `long` adds the weekday, and the year if it is not this one. */
export function formatDay(day: string, options: { readonly long?: boolean; readonly thisYear?: number } = {}): string {
  const { long = false, thisYear = new Date().getFullYear() } = options;
  const sameYear = day.startsWith(`${thisYear}-`);
  return new Date(`${day}T12:00:00Z`).toLocaleDateString("en-GB", {
    timeZone: "UTC",
    day: "numeric",
    month: "short",
    ...(long ? { weekday: "short" } : {}),
    ...(long && !sameYear ? { year: "numeric" } : {}),
  });
}
