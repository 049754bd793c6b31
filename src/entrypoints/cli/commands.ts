import { bench } from "./bench.ts";
import type { Command } from "./command.ts";
import { completionOf } from "./completion.ts";
import { doctor } from "./doctor.ts";
import { hook } from "./hook.ts";
import { init } from "./init.ts";
import { install, uninstall } from "./install.ts";
import { match } from "./match.ts";
import { mcp } from "./mcp.ts";
import { redactCommand } from "./redact.ts";
import { review } from "./review.ts";
import { serve } from "./serve.ts";
import { start } from "./start.ts";

/** Written by hand, because no table can say them. */
export const commands: readonly Command[] = [
  start,
  init,
  serve,
  install,
  uninstall,
  doctor,
  match,
  review,
  mcp,
  hook,
  redactCommand,
  bench,
  completionOf(() => commands),
];
