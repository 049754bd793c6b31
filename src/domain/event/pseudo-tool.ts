/**
 * Whether a recorder wrote something else than a tool where the tool's name stands: `(format)` is an answer in which it found no
 * call. Nobody can avoid calling it, so nothing is learned from it.
 */
export function isPseudoTool(tool: string): boolean {
  return /^[([<{].*[)\]>}]$/.test(tool);
}
