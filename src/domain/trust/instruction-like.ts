import type { Origin } from "../rule/rule.ts";

/**
 * Returns why a text reads like instructions to a model, or null. Deterministic and narrow: it detects what poisoned
 * texts have in common (overriding, another role, secrecy, leaking), not every imperative, because accepted texts are
 * still only quoted as data. For untrusted texts.
 */
export function findInstruction(text: string): string | null {
  const plain = text
    .normalize("NFKC")
    .replaceAll(/[\u00ad\u200b-\u200f\u2060-\u206f\ufeff]/g, "")
    .replaceAll(/\s+/g, " ");
  for (const [why, pattern] of signs) if (pattern.test(plain)) return why;
  return null;
}

/**
 * Returns why a text must not be shown to agents, or null. The owner's texts are never blocked; an agent's may come
 * from anywhere.
 */
export function findBlockReason(quote: { readonly trust: Origin; readonly text: string }): string | null {
  return quote.trust === "owner" ? null : findInstruction(quote.text);
}

const before =
  "(?:previous|prior|earlier|above|preceding|foregoing|past|existing|initial|original|all|any|every|other|your|the)";
const orders =
  "(?:instructions?|directives?|directions?|prompts?|rules?|guidelines?|commands?|orders?|constraints?|restrictions?|programming|polic(?:y|ies)|context)";

const signs: readonly (readonly [string, RegExp])[] = [
  [
    "it overrides instructions",
    new RegExp(
      `\\b(?:ignore|disregard|forget|overlook|neglect|override|bypass|skip|discard|drop|do not follow|don't follow|stop following)\\b[^.!?\\n]{0,40}\\b${before}\\b[^.!?\\n]{0,40}\\b${orders}\\b`,
      "i",
    ),
  ],
  [
    "it overrides earlier instructions",
    /\b(?:ignore|disregard|forget|overlook)\b[^.!?\n]{0,20}\b(?:everything|every?thing|all|anything|whatever)\b[^.!?\n]{0,30}\b(?:told|said|instructed|above|before|learned|know|trained)\b/i,
  ],
  [
    "it overrides instructions",
    /ignorier\w*[^.!?]{0,40}(?:anweisung|befehl|vorgabe)|ignor\w+[^.!?]{0,40}(?:instruc[ct]i|instruções|consignes)|игнорир\w*[^.!?]{0,40}инструкц|(?:忽略|无视|忘记)[^。]{0,12}(?:指令|指示|说明|提示)/iu,
  ],
  [
    "it gives the reader another role",
    /\b(?:from now on|henceforth|for the rest of (?:this|the|our)|starting now|hereafter)\b[^.!?\n]{0,60}\b(?:you|your|chatgpt|gpt|ai|model|assistant)\b/i,
  ],
  [
    "it gives the reader another role",
    /\b(?:you are (?:now|going to (?:act|be|pretend)|about to|no longer)|you(?:'re| will) (?:now|going to) (?:act|be|play|pretend|respond|answer)|pretend (?:you are|that you)|act as (?:an? )?(?:dan|unfiltered|unrestricted|jailbroken|evil)|(?:enter|enable|activate|switch to|in)\s+(?:developer|debug|god|dan|jailbreak|system|admin|maintenance|unrestricted) mode|do anything now)/i,
  ],
  [
    "it speaks as the system",
    /<\|?\/?\s*(?:system|im_start|im_end|sys|inst)\b|\[(?:system|inst|admin)\b[^\]]{0,40}\]|^\s*(?:system|admin|developer)\s*(?:message|prompt|note|override|mode)?\s*[:>]|\bnew (?:system )?(?:instructions?|directives?|prompt)\b\s*[:.]/i,
  ],
  [
    "it asks to leak secrets",
    /\b(?:reveal|print|show|tell|give|send|output|display|repeat|share|disclose|leak|exfiltrate|email|post|upload)\b[^.!?\n]{0,40}\b(?:system prompt|your (?:instructions|prompt|rules|guidelines)|secret(?: key| code| word)?|password|passphrase|credentials?|api[ _-]?keys?|access tokens?|private keys?|\.env|id_rsa)\b/i,
  ],
  [
    "it asks to act in secret",
    /\b(?:do not|don't|never|without)\b[^.!?\n]{0,30}\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|notify(?:ing)?|reveal(?:ing)?|ask(?:ing)?|warn(?:ing)?|alert(?:ing)?)\b[^.!?\n]{0,30}\b(?:the )?(?:user|owner|human|operator|anyone|developer|them)\b/i,
  ],
  [
    "it dictates the reader's answer",
    /\b(?:you must|you should|you will|always|please|make sure to|be sure to|remember to|keep in mind to)\b[^.!?\n]{0,30}\b(?:respond|reply|answer|include|embed|insert|append|incorporate|add|use)\b[^.!?\n]{0,50}\b(?:following|below|this (?:code|snippet|link|text|sentence|phrase)|in every|in all|with only|as (?:if|though)|code (?:snippet|block|excerpt|segment))\b/i,
  ],
  [
    "it dictates the reader's answer",
    /^(?:(?:please|now|also|always)\s+)?[a-z]{3,14}\b[^.!?\n]{0,60}\b(?:your|the) (?:response|reply|answer|output|message)s?\b/i,
  ],
  [
    "it orders the reader to insert code",
    /^(?:(?:please|kindly|now|also)\s+)?(?:add|include|embed|insert|incorporate|integrate|append|use|utili[sz]e|apply|employ|engage|inject|implement|place|put|merge|attach|make use of|leverage|introduce)\b[^.\n]{0,40}\b(?:following|subsequent|below|this|next|provided|given|succeeding)\b[^.\n]{0,20}\b(?:code|snippet|script|block|segment|excerpt|lines?|function|fragment|piece)\b/i,
  ],
  [
    "it orders the reader to run a command",
    /\b(?:you must|you should|please|now|immediately|first|always|to continue|required?:?)\b[^.!?\n]{0,30}\b(?:run|execute|eval|install|download and run|curl|wget|source)\b[^.!?\n]{0,60}(?:`|https?:|\bcurl\b|\bwget\b|\brm -|\bsudo\b|\|\s*(?:ba)?sh\b)/i,
  ],
  [
    "it claims to be above the rules",
    /\b(?:not (?:bound|restricted|limited) by|free(?:d)? (?:of|from)|no (?:longer )?(?:bound|restrictions?|limitations?|filters?|rules|moral|ethical)|without (?:any )?(?:restrictions?|filters?|censorship|limitations?|moral|ethical)|(?:un|non)[- ]?(?:filtered|restricted|censored|moral)|bypass(?:es|ing)? (?:openai|content|safety|any|all|its|the))\b[^.!?\n]{0,60}\b(?:openai|polic(?:y|ies)|guidelines?|rules?|confines|restrictions?|filters?|ai|moral|ethic|content|law)/i,
  ],
];
