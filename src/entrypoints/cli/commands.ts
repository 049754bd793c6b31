import { benchCommand } from "./bench.ts";
import type { CliCommand } from "./command.ts";
import { newCompletionCommand } from "./completion.ts";
import { doctorCommand } from "./doctor.ts";
import { hookCommand } from "./hook.ts";
import { initCommand } from "./init.ts";
import { installCommand, uninstallCommand } from "./install.ts";
import { matchCommand } from "./match.ts";
import { mcpCommand } from "./mcp.ts";
import { redactCommand } from "./redact.ts";
import { reviewCommand } from "./review.ts";
import { serveCommand } from "./serve.ts";
import { startCommand } from "./start.ts";

/** The commands that are not generated from operations. */
export const commands: readonly CliCommand[] = [
  startCommand,
  initCommand,
  serveCommand,
  installCommand,
  uninstallCommand,
  doctorCommand,
  matchCommand,
  reviewCommand,
  mcpCommand,
  hookCommand,
  redactCommand,
  benchCommand,
  newCompletionCommand(() => commands),
];
