import { matchesKey } from "@earendil-works/pi-tui";
import type { ApprovalReach } from "../../domain/approval/approval.ts";
import type { ChatQuestion } from "../cli/chat/chat-update.ts";

/** The keys that answer a question. What turns out to be something else is text. */
export interface AnswerKeys {
  /** True if the key may be part of an answer, so that nobody else gets it. `isFree`: letters may answer now. */
  take(data: string, question: ChatQuestion | null, isFree: boolean): boolean;
  /** The question is gone: letters that are not decided yet are text. */
  release(): void;
  /** Forgets letters that are not decided yet. */
  drop(): void;
}

/**
 * A letter answers if no other key follows for a moment, or Enter does. What reaches further than this call needs the letter
 * twice. So whoever begins a sentence has not answered.
 */
export function newAnswerKeys(parts: {
  answer(question: ChatQuestion, yes: boolean, reach?: ApprovalReach): void;
  /** Writes letters into the input. */
  type(letters: string): void;
  /** A line for the person. `stay`: until null removes it. */
  hint(text: string | null, stay?: "stay"): void;
}): AnswerKeys {
  let held = "";
  /** Was pressed once and explained, before what is held. */
  let before = "";
  let isExplained = false;
  let timer: NodeJS.Timeout | undefined;

  const drop = () => {
    clearTimeout(timer);
    if (isExplained) parts.hint(null);
    [held, before, isExplained] = ["", "", false];
  };
  const release = () => {
    const letters = before + held;
    drop();
    if (letters !== "") parts.type(letters);
  };

  /** No other key has followed. */
  const settle = (question: ChatQuestion) => {
    const found = answers.find(({ forms }) => forms.includes(held));
    const begun = answers.find(({ key }) => key === held);
    if (found === undefined && begun === undefined) return release();
    const { yes, reach } = found ?? begun ?? {};
    if (question.isOnceOnly && yes === true && reach !== "once") {
      drop();
      return parts.hint(ONCE_ONLY);
    }
    if (found !== undefined) {
      drop();
      return parts.answer(question, found.yes, found.reach);
    }
    isExplained = true;
    parts.hint(`Press ${held} again to allow it ${reach === "session" ? "for this session" : "from now on"}.`, "stay");
  };

  return {
    drop,
    release,
    take: (data, question, isFree) => {
      if (held === "" && !isFree) return false;
      if (question === null) {
        release();
        return false;
      }
      clearTimeout(timer);
      if (held !== "" && matchesKey(data, "enter")) {
        settle(question);
        return true;
      }
      if (held !== "" && (matchesKey(data, "backspace") || matchesKey(data, "escape"))) {
        drop();
        return true;
      }
      const letter = LETTERS.find((one) => matchesKey(data, one)) ?? "";
      const isOther = isExplained && letter === NO;
      const next = isOther ? letter : held + letter;
      if (letter === "" || !answers.some(({ forms }) => forms.some((form) => form.startsWith(next)))) {
        release();
        return false;
      }
      const isSecond = isExplained && !isOther && answers.some(({ forms }) => forms.includes(next));
      if (isOther) before += held;
      held = next;
      if (isSecond) settle(question);
      else timer = setTimeout(() => settle(question), QUIET_MS);
      return true;
    },
  };
}

const answers: readonly {
  readonly key: string;
  /** What answers. */
  readonly forms: readonly string[];
  readonly yes: boolean;
  readonly reach?: ApprovalReach;
}[] = [
  { key: "y", forms: ["y", "yes"], yes: true, reach: "once" },
  { key: "s", forms: ["ss", "session"], yes: true, reach: "session" },
  { key: "a", forms: ["aa", "always"], yes: true, reach: "always" },
  { key: "n", forms: ["n", "no"], yes: false },
];

const NO = "n";
const LETTERS = ["y", "e", "s", "i", "o", "n", "a", "l", "w"] as const;
/** Whoever writes a word presses the next key sooner. */
const QUIET_MS = 400;
const ONCE_ONLY = "Only y or n here: an equal call asks again in any case.";
