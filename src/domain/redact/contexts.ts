import { detectCookies, detectSessionCookie, detectSignature, detectUrlCredentials } from "./addresses.ts";
import { detectPipedValue, detectUserAndPassword, detectLoginArgument, detectProtocolLogin } from "./nearby-values.ts";
import { detectNamedMember, detectLoginMessage, detectShownFile } from "./split-pairs.ts";
import { detectBearer } from "./assignment.ts";
import { detectCurlUser, detectFlagPassword, detectPhrase, SECRET_PHRASES } from "./commands.ts";
import { detectKubernetesSecret, detectNetrc, detectNpmrc, detectPgpass } from "./files.ts";
import {
  detectDiscordToken,
  detectJwt,
  detectKeyEnd,
  detectMnemonic,
  detectPrivateKey,
  detectPuttyKey,
  detectWrappedJwt,
} from "./formats.ts";
import type { SecretDetector } from "./detector.ts";

/**
 * Secrets that are recognised only by their context. Anchors are lower case and match any case. Every pattern is sticky
 * and bounded, so that one test has a constant maximum cost.
 */
export const CONTEXT_RULES: readonly {
  readonly anchors: readonly string[];
  readonly detect: SecretDetector;
}[] = [
  { anchors: ["-----begin"], detect: detectPrivateKey },
  { anchors: ["-----end"], detect: detectKeyEnd },
  { anchors: ["private-lines:"], detect: detectPuttyKey },
  { anchors: ["eyj", "eya"], detect: detectJwt },
  { anchors: ["."], detect: detectDiscordToken },
  { anchors: ["zxlk"], detect: detectWrappedJwt },
  { anchors: ["mnemonic", "seed", "recovery", "backup phrase", "secret phrase"], detect: detectMnemonic },
  { anchors: ["://"], detect: detectUrlCredentials },
  { anchors: ["sig=", "signature=", "code=", "code_verifier="], detect: detectSignature },
  { anchors: ["cookie", "set-cookie", "--cookie", " -b "], detect: detectCookies },
  { anchors: ["phpsessid", "jsessionid", "asp.net_sessionid", "connect.sid"], detect: detectSessionCookie },
  { anchors: [" -u", "--user", "-u "], detect: detectCurlUser },
  { anchors: [" -p", " -a", " -w", " -k", " -u"], detect: detectFlagPassword },
  { anchors: SECRET_PHRASES, detect: detectPhrase },
  { anchors: ["echo ", "printf ", "<<<"], detect: detectPipedValue },
  {
    anchors: ["creds", "credentials", "login", "log in", "user/pass", "username/pass", "user:pass"],
    detect: detectUserAndPassword,
  },
  { anchors: ["pass ", "auth ", "auth plain", "ugfzc3dvcmq6"], detect: detectProtocolLogin },
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
    detect: detectLoginArgument,
  },
  { anchors: ["value=", 'value"', "-value "], detect: detectNamedMember },
  { anchors: ["cat ", "type ", "less ", "more ", "head "], detect: detectShownFile },
  { anchors: ['"auth', "'auth", '"log', "'log", '"sign'], detect: detectLoginMessage },
  { anchors: ["kind:", 'kind":', 'kind\\"', "kind'"], detect: detectKubernetesSecret },
  { anchors: [":_auth", ":_password"], detect: detectNpmrc },
  { anchors: ["machine ", "default login", "default password"], detect: detectNetrc },
  { anchors: [":5432:", ":5433:", ":6432:", ":*:"], detect: detectPgpass },
  { anchors: ["bearer "], detect: detectBearer },
];
