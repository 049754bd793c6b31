/** A session as Codex records it: commands with their results, a minute apart. */
export function codexRollout(session: {
  readonly session: string;
  readonly version: string;
  readonly at: number;
  readonly cwd: string;
  readonly calls: readonly { readonly command: string; readonly code: number; readonly out: string }[];
}): string {
  const line = (ms: number, type: string, payload: object) =>
    `${JSON.stringify({ timestamp: new Date(session.at + ms).toISOString(), type, payload })}\n`;
  const meta = { id: session.session, session_id: session.session, cwd: session.cwd, cli_version: session.version };
  const calls = session.calls.map(({ command, code, out }, n) => {
    const call_id = `call_${session.session}_${n}`;
    const call = { type: "function_call", name: "exec_command", arguments: JSON.stringify({ cmd: command }), call_id };
    const output = `Chunk ID: a1\nWall time: 0.1000 seconds\nProcess exited with code ${code}\nOutput:\n${out}`;
    return (
      line(n * 60_000, "response_item", call) +
      line(n * 60_000 + 1_000, "response_item", { type: "function_call_output", call_id, output })
    );
  });
  return line(0, "session_meta", meta) + calls.join("");
}
