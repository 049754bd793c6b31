import { judgeNamed, looksLikeCredential, looksConspicuous } from "./judge.ts";
import { withColourCodes, type Secret, textBefore } from "./detector.ts";
import { type ValueSpan, findWholeEnd } from "./value.ts";

/** A name in a text, including a qualifying word before it ("api key"). */
export interface NameSpan {
  readonly text: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export function judgeValue({ text, name }: NameSpan, value: ValueSpan | undefined): Secret | undefined {
  if (value === undefined) return undefined;
  const secret = text.slice(value.start, value.end);
  const rule =
    value.scheme && looksLikeCredential(secret) ? "authorization" : judgeNamed(name, secret, value.delimiting);
  return rule === undefined ? undefined : { start: value.start, end: findWholeEnd(text, value), rule };
}

/** True if there is a value that cannot be a word, a name or code. */
export function isConspicuousValue(text: string, value: ValueSpan | undefined): value is ValueSpan {
  return value !== undefined && looksConspicuous(text.slice(value.start, value.end));
}

/** In `?token=V` and `--key V` a short name certainly has a value, so it is judged like a qualified one. */
export function asCertainName(place: NameSpan): NameSpan {
  return /^-{0,2}(?:token|key|auth|pass)$/i.test(place.name)
    ? { ...place, name: `access_${place.name.replace(/^-+/, "")}` }
    : place;
}

/** True if only prefixes of an assignment precede it on its line. */
export function startsLine(text: string, start: number): boolean {
  return LINE_START.test(textBefore(text, start, 110)) || start === 0;
}

const LINE_START = withColourCodes(
  /(?:^|\n|\\n)[ \t>+#*/-]{0,24}(?:(?:[\w./-]{1,60}[:-])?\d{1,6}[:\t→|-][ \t]{0,12})?(?:(?:export|set|setenv|ENV|ARG|declare -x)[ \t]{1,4}|\$env:|[A-Za-z]{2,20}=)?["'`*[]{0,3}¤$/,
);
