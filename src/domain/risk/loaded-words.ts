import { splitName } from "../text/same-words.ts";
import { resemblesBypass } from "./bypass-words.ts";

/**
 * True if a name may widen, publish, force or skip something: of an option, a value, a subcommand, a folder. It is asked
 * only of what an error itself offers in place of a wrong word, so it need not be complete: all else is not taught anyway.
 */
export function isLoaded(name: string): boolean {
  return (
    resemblesBypass(name.startsWith("-") ? name : `--${name}`) || splitName(name).some((word) => loaded.test(word))
  );
}

const loaded =
  /^(?:all|any|any\w+|every\w*|each|bulk|mass|full|whole|global\w*|org|organi[sz]ation|worldwide|internet|link|links|shar\w+|open\w*|extern\w*|expos\w+|guest\w*|anon\w*|unrestrict\w*|unlimit\w*|unsafe|real|send\w*|mail|post|publish\w*|releas\w*|deploy\w*|ship|promot\w*|push|upload\w*|apply|commit|charg\w*|pay\w*|bill\w*|refund\w*|transfer\w*|grant\w*|owner\w*|write|overwrit\w*|migrat\w*|seed|execut\w*|exec|eval|recurs\w*|mirror|loos\w*|lenient|soft|weak\w*|quiet\w*|silent|suppress\w*|mute|kill|stop|terminat\w*|cascade|customers?|tenants?|users?|prd|main|default|collect|never|none)$/;
