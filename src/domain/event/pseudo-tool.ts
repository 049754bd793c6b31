/**
 * True if the recorded tool name is not a tool: `(format)` marks an answer in which the recorder found no call. Nothing
 * is learned from it, because it cannot be avoided.
 */
export function isPseudoTool(tool: string): boolean {
  return /^[([<{].*[)\]>}]$/.test(tool);
}
