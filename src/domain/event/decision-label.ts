/** Whether a sentence of a summary was decided, or only asked for: "don't use print here" is a request. */
export function decisionLabel(sentence: string): "decided" | "asked" {
  return isRequest.test(sentence) && !isSettled.test(sentence) ? "asked" : "decided";
}

const isRequest = /\b(?:do ?n[o']t|never|always|must|please|prefer|stick (?:to|with)|use)\b/i;
const isSettled = /\b(?:let'?s|we(?:'ll| will)|decided|agreed|chose|I(?:'ll| will)|go(?:ing)? with)\b/i;
