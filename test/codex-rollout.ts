/** A session as Codex records it: commands with their results, a minute apart. */
export function codexRollout(told: {
  readonly session: string;
  readonly version: string;
  readonly at: number;
  readonly cwd: string;
  readonly calls: readonly { readonly command: string; readonly code: number; readonly out: string }[];
}): string {
  const line = (ms: number, type: string, payload: object) =>
    `${JSON.stringify({ timestamp: new Date(told.at + ms).toISOString(), type, payload })}\n`;
  const meta = { id: told.session, session_id: told.session, cwd: told.cwd, cli_version: told.version };
  const calls = told.calls.map(({ command, code, out }, n) => {
    const call_id = `call_${told.session}_${n}`;
    const asked = { type: "function_call", name: "exec_command", arguments: JSON.stringify({ cmd: command }), call_id };
    const output = `Chunk ID: a1\nWall time: 0.1000 seconds\nProcess exited with code ${code}\nOutput:\n${out}`;
    return (
      line(n * 60_000, "response_item", asked) +
      line(n * 60_000 + 1_000, "response_item", { type: "function_call_output", call_id, output })
    );
  });
  return line(0, "session_meta", meta) + calls.join("");
}
