import { redact } from "../../../domain/redact/redact.ts";
import type { CliCommand } from "../parts/command.ts";

export const redactCommand: CliCommand = {
  name: "redact",
  summary: "Copies stdin to stdout without secrets, with the redaction that the store uses.",
  usage: "redact < FILE",
  words: 0,
  flags: [],
  run: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    // Read as a whole, because a key can span any number of lines.
    const text = redact(Buffer.concat(chunks).toString("utf8"));
    await new Promise<void>((resolve, reject) =>
      process.stdout.write(text, (error) => (error ? reject(error) : resolve())),
    );
    return 0;
  },
};
