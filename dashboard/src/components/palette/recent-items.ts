import { signal } from "@preact/signals";
import type { PaletteItem } from "./palette-item.ts";

const NAME = "oldhand recent";
const MOST = 6;

type RecentItem = Pick<PaletteItem, "key" | "text" | "detail"> & { readonly href: string };

/** Recently opened palette entries, newest first. In session storage like the token, so only for this tab. */
export const recentItems = signal<readonly RecentItem[]>(readRecent());

export function noteRecent({ key, text, detail, href }: RecentItem): void {
  const item = { key, text, href, ...(detail === undefined ? {} : { detail }) };
  recentItems.value = [item, ...recentItems.value.filter((one) => one.key !== key)].slice(0, MOST);
  sessionStorage.setItem(NAME, JSON.stringify(recentItems.value));
}

function readRecent(): readonly RecentItem[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isItem) : [];
  } catch {
    // Not our format: no recent entries.
    return [];
  }
}

function isItem(value: unknown): value is RecentItem {
  const item = value as Partial<Record<string, unknown>> | null;
  return typeof item?.["key"] === "string" && typeof item["text"] === "string" && typeof item["href"] === "string";
}
