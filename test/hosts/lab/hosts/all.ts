import type { DrivenHost } from "../driven.ts";
import { claudeCodes } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { droid } from "./droid.ts";
import { gemini } from "./gemini.ts";
import { openclaw } from "./openclaw.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

/** Every host with hooks or a plugin whose real client runs here. */
export const drivenHosts: readonly DrivenHost[] = [
  ...claudeCodes,
  ...[codex, gemini, opencode, copilot, qwen, droid, pi, openclaw, cline],
];
