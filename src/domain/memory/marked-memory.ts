import { type MemoryCategory, type MemoryKind, memoryCategories, memoryKinds, type MemoryScope } from "./memory.ts";

export interface MarkedMemory {
  readonly text: string;
  readonly key?: string;
  readonly kind: MemoryKind;
  readonly category: MemoryCategory | null;
  readonly importance?: number;
  readonly tags: readonly string[];
  readonly scope: MemoryScope;
}

/**
 * Parses a MEMORY marker, with any of the usual field names; null without text. Applies to the workspace where it was
 * said, unless it says otherwise.
 */
export function parseMarkedMemory(
  data: Readonly<Record<string, unknown>>,
  workspace: string | null,
): MarkedMemory | null {
  const text = firstText(data, ["content", "text", "memory", "value"]);
  if (text === null) return null;
  const category = memoryCategories.find((one) => one === data["category"]) ?? null;
  const kind = memoryKinds.find((one) => one === (data["kind"] ?? data["type"])) ?? "fact";
  const key = firstText(data, ["key"]);
  const importance = importanceOf(data["importance"]);
  const tags = Array.isArray(data["tags"]) ? data["tags"].filter((tag) => typeof tag === "string") : [];
  return {
    text: text.slice(0, LONGEST),
    ...(key === null ? {} : { key: key.slice(0, 200) }),
    kind: category === null ? (kind === "learning" ? "fact" : kind) : "learning",
    category,
    ...(importance === null ? {} : { importance }),
    tags: tags.slice(0, 50),
    scope:
      workspace === null || data["scope"] === "global" ? { kind: "global" } : { kind: "workspace", name: workspace },
  };
}

const LONGEST = 20_000;

function firstText(data: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
  const found = names.map((name) => data[name]).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof found === "string" ? found.trim() : null;
}

/** Accepts both 70 and 0.7. */
function importanceOf(value: unknown): number | null {
  if (typeof value !== "number" || !(value > 0)) return null;
  return Math.min(100, Math.max(1, Math.round(value <= 1 && !(value === 1) ? value * 100 : value)));
}
