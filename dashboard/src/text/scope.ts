import { inWords, isRecord } from "./difference.ts";

/** {kind: "workspace", workspace: "/src/app"} reads "workspace /src/app". */
export function scopeInWords(scope: unknown): string {
  if (!isRecord(scope)) return inWords(scope);
  return Object.values(scope)
    .filter((part) => part !== null)
    .map(inWords)
    .join(" ");
}
