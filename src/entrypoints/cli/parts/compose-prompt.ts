import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Quotable } from "../../../domain/trust/quote.ts";
import { joinMessageData } from "../../../domain/turn/message-data.ts";
import { OldhandError, systemErrorCode } from "../../../lib/errors.ts";
import { findNearestName } from "../../../lib/nearest.ts";
import { readTextOfBytes } from "../../../lib/text-of-bytes.ts";
import { cap } from "../../../lib/text.ts";

/** A message as the model gets it. */
export interface ComposedMessage {
  readonly text: string;
  /** For the person: each named file that could not be added, and what is sent only in part. */
  readonly problems: readonly string[];
  /** What was too long, and is sent without its middle. */
  readonly cut: readonly CutData[];
}

export interface CutData {
  /** `file src/cart.ts`, `standard input` */
  readonly name: string;
  readonly characters: number;
  readonly sent: number;
}

/**
 * What a person typed, with the files that it names as @file and with what was piped in, quoted as data. If nothing is
 * typed, what is piped in is the message.
 */
export async function composePrompt(typed: string, cwd: string): Promise<ComposedMessage> {
  const piped = process.stdin.isTTY ? "" : await readPiped(process.stdin, typed.trim() !== "");
  if (typed.trim() === "" && piped.trim() === "")
    throw new OldhandError("usage", "there is nothing to ask", { hint: 'oldhand ask "why does the build fail?"' });
  const input = { label: "standard input", origin: "external", text: piped } as const;
  if (typed.trim() !== "") return compose(typed, cwd, piped.trim() === "" ? [] : [input]);
  const cut = findCut([input]);
  const message = composeChatMessage(cap(piped, LONGEST), cwd);
  return { ...message, problems: [...message.problems, ...cut.map(explainCut)], cut: [...message.cut, ...cut] };
}

/** What a person typed in a chat, with the files that it names as @file. */
export function composeChatMessage(typed: string, cwd: string): ComposedMessage {
  return compose(typed, cwd, []);
}

function compose(typed: string, cwd: string, more: readonly Quotable[]): ComposedMessage {
  const { files, problems } = readNamedFiles(typed, cwd);
  const data = [...files, ...more];
  const cut = findCut(data);
  return {
    text: joinMessageData(
      typed,
      data.map((one) => ({ ...one, text: cap(one.text, LONGEST) })),
    ),
    problems: [...problems, ...cut.map(explainCut)],
    cut,
  };
}

function findCut(data: readonly Quotable[]): readonly CutData[] {
  return data
    .filter(({ text }) => text.length > LONGEST)
    .map(({ label, text }) => ({ name: label, characters: text.length, sent: LONGEST }));
}

function explainCut({ name, characters, sent }: CutData): string {
  const count = (value: number) => value.toLocaleString("en-US");
  return `${name} has ${count(characters)} characters, and at most ${count(sent)} are sent: its middle is left out.`;
}

/** Of each file, and of what was piped in. */
const LONGEST = 200_000;

interface NamedFiles {
  readonly files: readonly Quotable[];
  readonly problems: readonly string[];
}

/** A word with an @ that neither is a file nor looks like one, such as a person's name, stays a word. */
function readNamedFiles(typed: string, cwd: string): NamedFiles {
  // A path with spaces stands in quotes.
  const words = typed.matchAll(/(?<=^|\s)@(?:"([^"\n]+)"|'([^'\n]+)'|(\S+))/g);
  const names = new Set([...words].map(([, double, single, plain]) => double ?? single ?? plain ?? ""));
  const read = [...names].map((name) => readNamedFile(name, cwd));
  return {
    files: read.flatMap((one) => (typeof one === "object" && one !== null ? [one] : [])),
    problems: read.flatMap((one) => (typeof one === "string" ? [`${one} The message was sent without it.`] : [])),
  };
}

/** The file, why it cannot be added, or null if the word names none. */
function readNamedFile(typed: string, cwd: string): Quotable | string | null {
  const name = typed.replace(/[.,;:!?)]+$/, "");
  const found = [typed, name].find((one) => statFile(resolve(cwd, one)) !== undefined);
  if (found === undefined)
    return /[./\\\s]/.test(name) ? `There is no file ${name} here.${suggestFile(name, cwd)}` : null;
  if (statFile(resolve(cwd, found))?.isFile() !== true) return `${found} is not a file.`;
  try {
    const read = readTextOfBytes(readFileSync(resolve(cwd, found)));
    return read.kind === "text"
      ? { label: `file ${found}`, origin: "external", text: read.text }
      : `${found} ${read.why}.`;
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return `${found} cannot be read (${systemErrorCode(error)}).`;
  }
}

/** As it is typed. */
function formatNamedFile(name: string): string {
  return /\s/.test(name) ? `@"${name}"` : `@${name}`;
}

/** A file beside it with a similar name, as a question; empty if there is none. */
function suggestFile(name: string, cwd: string): string {
  try {
    const names = readdirSync(resolve(cwd, dirname(name)), { withFileTypes: true }).flatMap((one) =>
      one.isFile() ? [one.name] : [],
    );
    const meant = findNearestName(basename(name), names);
    return meant === null ? "" : ` Did you mean ${formatNamedFile(join(dirname(name), meant))}?`;
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return "";
  }
}

/** Undefined if nothing is there, or it cannot be reached. */
function statFile(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return undefined;
  }
}

/** A program may start us with an open pipe that it never writes to: with a text, it is not waited for. */
function readPiped(input: typeof process.stdin, hasText: boolean): Promise<string> {
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    const finish = () => {
      clearTimeout(timer);
      input.pause();
      done(Buffer.concat(chunks).toString("utf8"));
    };
    const timer = hasText ? setTimeout(finish, WAIT_MS) : undefined;
    input.on("data", (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    input.once("end", finish);
    input.once("error", fail);
  });
}

const WAIT_MS = 2_000;
