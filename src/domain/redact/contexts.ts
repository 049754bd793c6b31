import { lookAtUrl } from "./addresses.ts";
import { lookAtBearer } from "./assignment.ts";
import { lookAtCurlUser, lookAtPasswordFlag } from "./commands.ts";
import { lookAtKubernetesSecret, lookAtNetrc, lookAtNpmrc } from "./files.ts";
import { lookAtDiscordToken, lookAtJwt, lookAtPrivateKey, lookAtPuttyKey, lookAtWrappedJwt } from "./formats.ts";
import type { Look } from "./look.ts";

/**
 * Secrets that only their surroundings give away. Anchors are lower case and match any case.
 * Every pattern is sticky and bounded, so that one look costs a constant at most.
 */
export const CONTEXT_RULES: readonly {
  readonly anchors: readonly string[];
  readonly look: Look;
}[] = [
  { anchors: ["-----begin"], look: lookAtPrivateKey },
  { anchors: ["private-lines:"], look: lookAtPuttyKey },
  { anchors: ["eyj", "eya"], look: lookAtJwt },
  { anchors: ["."], look: lookAtDiscordToken },
  { anchors: ["zxlk"], look: lookAtWrappedJwt },
  { anchors: ["://"], look: lookAtUrl },
  { anchors: [" -u", "--user", "-u "], look: lookAtCurlUser },
  { anchors: ["kind:"], look: lookAtKubernetesSecret },
  { anchors: [":_auth", ":_password"], look: lookAtNpmrc },
  { anchors: ["machine "], look: lookAtNetrc },
  { anchors: ["sshpass", "docker login"], look: lookAtPasswordFlag },
  { anchors: ["bearer "], look: lookAtBearer },
];
