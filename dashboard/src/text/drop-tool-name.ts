/** Removes the tool's name from the start of a summary that is displayed next to it. */
export function dropToolName(summary: string, tool: string | null): string {
  return tool !== null && summary.startsWith(`${tool} `) ? summary.slice(tool.length + 1) : summary;
}
