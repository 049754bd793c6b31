/** A session as Claude Code records it: shell calls with their results, a minute apart. */
export interface RecordedSession {
  readonly session: string;
  readonly version: string;
  readonly at: number;
  readonly cwd?: string;
  readonly calls: readonly { readonly command: string; readonly error?: string; readonly out?: string }[];
}

export function claudeTranscript({ session, version, at, cwd = "/home/ada/shop", calls }: RecordedSession): string {
  const lines = calls.flatMap(({ command, error, out }, n) => {
    const id = `toolu_${session}_${n}`;
    const common = (ms: number) => ({
      sessionId: session,
      version,
      cwd,
      isSidechain: false,
      userType: "external",
      timestamp: new Date(at + n * 60_000 + ms).toISOString(),
    });
    const toolUse = { type: "tool_use", id, name: "Bash", input: { command } };
    const result = {
      type: "tool_result",
      tool_use_id: id,
      content: error ?? out ?? "ok",
      is_error: error !== undefined,
    };
    return [
      {
        ...common(0),
        type: "assistant",
        uuid: `a${n}`,
        message: { role: "assistant", model: "m", content: [toolUse] },
      },
      { ...common(2_000), type: "user", uuid: `u${n}`, message: { role: "user", content: [result] } },
    ];
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
