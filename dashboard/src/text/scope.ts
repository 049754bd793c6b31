import { formatValue, isRecord } from "./difference.ts";

/** Formats {kind: "workspace", workspace: "/src/app"} as "workspace /src/app". */
export function formatScope(scope: unknown): string {
  if (!isRecord(scope)) return formatValue(scope);
  return Object.values(scope)
    .filter((part) => part !== null)
    .map(formatValue)
    .join(" ");
}
