import { askCommand } from "./commands/ask.ts";
import { benchCommand } from "./commands/bench.ts";
import { chatCommand } from "./commands/chat.ts";
import type { CliCommand } from "./parts/command.ts";
import { newCompletionCommand } from "./commands/completion.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { hookCommand } from "./commands/hook.ts";
import { initCommand } from "./commands/init.ts";
import { installCommand, uninstallCommand } from "./commands/install.ts";
import { matchCommand } from "./commands/match.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { redactCommand } from "./commands/redact.ts";
import { reviewCommand } from "./commands/review.ts";
import { runCommand } from "./commands/run.ts";
import { serveCommand } from "./commands/serve.ts";
import { simCommand } from "./commands/sim.ts";
import { startCommand } from "./commands/start.ts";

export const completionCommand = newCompletionCommand(() => commands);

/** The commands that are not generated from operations. */
export const commands: readonly CliCommand[] = [
  startCommand,
  chatCommand,
  askCommand,
  initCommand,
  serveCommand,
  runCommand,
  installCommand,
  uninstallCommand,
  doctorCommand,
  matchCommand,
  reviewCommand,
  mcpCommand,
  hookCommand,
  redactCommand,
  benchCommand,
  simCommand,
  completionCommand,
];
