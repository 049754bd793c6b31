/** A summary that begins with its tool's name, beside which it stands, without saying the name twice. */
export function dropToolName(summary: string, tool: string | null): string {
  return tool !== null && summary.startsWith(`${tool} `) ? summary.slice(tool.length + 1) : summary;
}
