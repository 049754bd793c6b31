import { lookAtCookie, lookAtSessionCookie, lookAtSignature, lookAtUrl } from "./addresses.ts";
import { lookAtGiven, lookAtPair, lookAtPosition, lookAtProtocol } from "./answers.ts";
import { lookAtMember, lookAtMessage, lookAtShown } from "./apart.ts";
import { lookAtBearer } from "./assignment.ts";
import { lookAtCurlUser, lookAtFlag, lookAtSaying, SAYINGS } from "./commands.ts";
import { lookAtKubernetesSecret, lookAtNetrc, lookAtNpmrc, lookAtPgpass } from "./files.ts";
import {
  lookAtDiscordToken,
  lookAtJwt,
  lookAtKeyEnd,
  lookAtMnemonic,
  lookAtPrivateKey,
  lookAtPuttyKey,
  lookAtWrappedJwt,
} from "./formats.ts";
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
  { anchors: ["-----end"], look: lookAtKeyEnd },
  { anchors: ["private-lines:"], look: lookAtPuttyKey },
  { anchors: ["eyj", "eya"], look: lookAtJwt },
  { anchors: ["."], look: lookAtDiscordToken },
  { anchors: ["zxlk"], look: lookAtWrappedJwt },
  { anchors: ["mnemonic", "seed", "recovery", "backup phrase", "secret phrase"], look: lookAtMnemonic },
  { anchors: ["://"], look: lookAtUrl },
  { anchors: ["sig=", "signature=", "code=", "code_verifier="], look: lookAtSignature },
  { anchors: ["cookie", "set-cookie", "--cookie", " -b "], look: lookAtCookie },
  { anchors: ["phpsessid", "jsessionid", "asp.net_sessionid", "connect.sid"], look: lookAtSessionCookie },
  { anchors: [" -u", "--user", "-u "], look: lookAtCurlUser },
  { anchors: [" -p", " -a", " -w", " -k", " -u"], look: lookAtFlag },
  { anchors: SAYINGS, look: lookAtSaying },
  { anchors: ["echo ", "printf ", "<<<"], look: lookAtGiven },
  {
    anchors: ["creds", "credentials", "login", "log in", "user/pass", "username/pass", "user:pass"],
    look: lookAtPair,
  },
  { anchors: ["pass ", "auth ", "auth plain", "ugfzc3dvcmq6"], look: lookAtProtocol },
  {
    anchors: [
      "authenticat",
      "auth(",
      "credential",
      "login(",
      "logon(",
      "signin(",
      "sign_in(",
      "createuser(",
      "create_user(",
      "basic(",
      "connect(",
      "connection(",
      "change_password(",
    ],
    look: lookAtPosition,
  },
  { anchors: ["value=", 'value"', "-value "], look: lookAtMember },
  { anchors: ["cat ", "type ", "less ", "more ", "head "], look: lookAtShown },
  { anchors: ['"auth', "'auth", '"log', "'log", '"sign'], look: lookAtMessage },
  { anchors: ["kind:", 'kind":', 'kind\\"', "kind'"], look: lookAtKubernetesSecret },
  { anchors: [":_auth", ":_password"], look: lookAtNpmrc },
  { anchors: ["machine ", "default login", "default password"], look: lookAtNetrc },
  { anchors: [":5432:", ":5433:", ":6432:", ":*:"], look: lookAtPgpass },
  { anchors: ["bearer "], look: lookAtBearer },
];
