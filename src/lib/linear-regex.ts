/** A regular expression from an untrusted author, run without backtracking so that it cannot hang the process. */
export type LinearRegex =
  | { readonly kind: "regex"; test(text: string): boolean }
  | { readonly kind: "refused"; readonly why: string };

/**
 * Takes Python's notation and what JavaScript shares with it. All states are followed in parallel, so nothing is
 * tried twice. What needs backtracking (backreferences, lookbehind) is refused.
 */
export function linearRegex(source: string): LinearRegex {
  if (source.length > LONGEST) return { kind: "refused", why: `it is longer than ${LONGEST} characters` };
  try {
    const node = new Reader(source).whole();
    const program = compiled(node);
    const pieces = demanded(node);
    return { kind: "regex", test: (text) => holdsAll(text, pieces) && runs(program, text) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", why: error.message };
    throw error;
  }
}

const LONGEST = 500;
const LARGEST = 4_000;

class Refusal extends Error {}

type Test = (code: number) => boolean;
type Edge = "start" | "end" | "word" | "inside" | "line-start" | "line-end";

type Node =
  | { readonly kind: "one"; readonly test: Test; readonly literal?: string }
  | { readonly kind: "edge"; readonly edge: Edge }
  | { readonly kind: "look"; readonly node: Node; readonly negative: boolean }
  | { readonly kind: "all"; readonly parts: readonly Node[] }
  | { readonly kind: "any"; readonly options: readonly Node[] }
  | { readonly kind: "repeat"; readonly node: Node; readonly min: number; readonly max: number };

class Reader {
  private at = 0;
  private readonly flags = { i: false, m: false, s: false };
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  whole(): Node {
    const flags = /^\(\?([a-zA-Z]+)\)/.exec(this.source);
    if (flags) {
      this.at = flags[0].length;
      for (const flag of flags[1] ?? "") {
        if (flag === "i" || flag === "m" || flag === "s") this.flags[flag] = true;
        else if (!"aLu".includes(flag)) throw new Refusal(`the flag (?${flag}) is not known`);
      }
    }
    const node = this.options();
    if (this.at < this.source.length) throw new Refusal("a ) without a (");
    return node;
  }

  private options(): Node {
    const options = [this.sequence()];
    while (this.take("|")) options.push(this.sequence());
    return options.length === 1 && options[0] ? options[0] : { kind: "any", options };
  }

  private sequence(): Node {
    const parts: Node[] = [];
    while (this.at < this.source.length && !"|)".includes(this.peek())) {
      const part = this.piece();
      if (part !== null) parts.push(this.repeated(part));
    }
    return { kind: "all", parts };
  }

  private repeated(node: Node): Node {
    const bounds = this.bounds();
    if (bounds === null) return node;
    if (this.take("+")) throw new Refusal("possessive quantifiers are not supported");
    // Greedy or not, the same texts match.
    this.take("?");
    if (this.bounds() !== null) throw new Refusal("a quantifier after a quantifier");
    return { kind: "repeat", node, ...bounds };
  }

  private bounds(): { readonly min: number; readonly max: number } | null {
    if (this.take("*")) return { min: 0, max: Infinity };
    if (this.take("+")) return { min: 1, max: Infinity };
    if (this.take("?")) return { min: 0, max: 1 };
    const counted = /^\{(\d{0,4})(,?)(\d{0,4})\}/.exec(this.source.slice(this.at));
    if (!counted || counted[0] === "{}" || counted[0] === "{,}") return null;
    this.at += counted[0].length;
    const min = Number(counted[1] || 0);
    const max = counted[2] === "" ? min : counted[3] === "" ? Infinity : Number(counted[3]);
    if (max < min) throw new Refusal("the bounds are in the wrong order");
    return { min, max };
  }

  private piece(): Node | null {
    const character = this.next();
    if (character === "(") return this.group();
    if (character === "[") return { kind: "one", test: this.set() };
    if (character === "\\") return this.escape();
    if (character === ".") return { kind: "one", test: this.flags.s ? () => true : (code) => code !== NEWLINE };
    if (character === "^") return { kind: "edge", edge: this.flags.m ? "line-start" : "start" };
    if (character === "$") return { kind: "edge", edge: this.flags.m ? "line-end" : "end" };
    if ("*+?".includes(character)) throw new Refusal(`nothing to repeat before ${character}`);
    return this.plain(character);
  }

  private group(): Node | null {
    const special = /^\?(?:P?<[A-Za-z_]\w*>|:|=|!|#[^)]*)/.exec(this.source.slice(this.at))?.[0];
    if (special === undefined && this.peek() === "?") throw new Refusal(refusedGroup(this.source.slice(this.at)));
    this.at += special?.length ?? 0;
    if (special?.startsWith("?#")) {
      this.close();
      return null;
    }
    const node = this.options();
    this.close();
    return special === "?=" || special === "?!" ? { kind: "look", node, negative: special === "?!" } : node;
  }

  private close(): void {
    if (!this.take(")")) throw new Refusal("a ( without a )");
  }

  private escape(): Node {
    const character = this.next();
    if (character === "b") return { kind: "edge", edge: "word" };
    if (character === "B") return { kind: "edge", edge: "inside" };
    if (character === "A") return { kind: "edge", edge: "start" };
    if (character === "Z" || character === "z") return { kind: "edge", edge: "end" };
    if (/[1-9]/.test(character)) throw new Refusal("backreferences cannot be matched in linear time");
    const known = classes.get(character);
    return known === undefined ? this.plain(this.escaped(character)) : { kind: "one", test: known };
  }

  private escaped(character: string): string {
    const known = controls.get(character);
    if (known !== undefined) return known;
    const hex = character === "x" ? 2 : character === "u" ? 4 : 0;
    if (hex > 0) {
      const digits = this.source.slice(this.at, this.at + hex);
      if (digits.length < hex || !/^[0-9a-fA-F]+$/.test(digits)) throw new Refusal(`\\${character} without its digits`);
      this.at += hex;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (/[A-Za-z0-9]/.test(character)) throw new Refusal(`\\${character} is not known`);
    return character;
  }

  private set(): Test {
    const negative = this.take("^");
    const tests: Test[] = [];
    for (let first = true; first || this.peek() !== "]"; first = false) {
      const from = this.member();
      if (typeof from === "function") tests.push(from);
      else if (this.peek() === "-" && this.source[this.at + 1] !== "]") {
        this.at++;
        const to = this.member();
        if (typeof to === "function" || to < from) throw new Refusal("a range is in the wrong order");
        const [low, high] = [from.charCodeAt(0), to.charCodeAt(0)];
        tests.push(this.folded((code) => code >= low && code <= high));
      } else tests.push(this.literal(from));
    }
    this.at++;
    return (code) => tests.some((test) => test(code)) !== negative;
  }

  private member(): string | Test {
    const character = this.next();
    if (character !== "\\") return character;
    const escaped = this.next();
    if (escaped === "b") return "\b";
    return classes.get(escaped) ?? this.escaped(escaped);
  }

  private plain(character: string): Node {
    return { kind: "one", test: this.literal(character), ...(this.flags.i ? {} : { literal: character }) };
  }

  private literal(character: string): Test {
    const wanted = character.charCodeAt(0);
    return this.folded((code) => code === wanted);
  }

  private folded(test: Test): Test {
    if (!this.flags.i) return test;
    return (code) => {
      const character = String.fromCharCode(code);
      return test(character.toLowerCase().charCodeAt(0)) || test(character.toUpperCase().charCodeAt(0));
    };
  }

  private peek(): string {
    return this.source[this.at] ?? "";
  }

  private next(): string {
    const character = this.source[this.at++];
    if (character === undefined) throw new Refusal("it ends too early");
    return character;
  }

  private take(character: string): boolean {
    if (this.source[this.at] !== character) return false;
    this.at++;
    return true;
  }
}

function refusedGroup(rest: string): string {
  if (rest.startsWith("?P=")) return "backreferences cannot be matched in linear time";
  if (/^\?<[=!]/.test(rest)) return "lookbehind is not supported";
  if (rest.startsWith("?(")) return "conditions are not supported";
  if (rest.startsWith("?>")) return "atomic groups are not supported";
  return `the group (${rest.slice(0, 3)} is not supported`;
}

const NEWLINE = 10;
const isDigit: Test = (code) => code >= 48 && code <= 57;
const isWord: Test = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace: Test = (code) => code === 32 || (code >= 9 && code <= 13);
const not =
  (test: Test): Test =>
  (code) =>
    !test(code);

const classes: ReadonlyMap<string, Test> = new Map([
  ["d", isDigit],
  ["D", not(isDigit)],
  ["w", isWord],
  ["W", not(isWord)],
  ["s", isSpace],
  ["S", not(isSpace)],
]);

const controls: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["f", "\f"],
  ["v", "\v"],
]);

/**
 * Literals that every match contains, in this order. Most texts lack one and are rejected without running the
 * program.
 */
function demanded(node: Node): readonly string[] {
  if (node.kind === "one") return node.literal === undefined ? [] : [node.literal];
  if (node.kind === "repeat") return node.min > 0 ? demanded(node.node) : [];
  if (node.kind !== "all") return [];
  const pieces: string[] = [];
  let joined = false;
  for (const part of node.parts) {
    if (part.kind === "edge" || part.kind === "look") continue;
    const own = demanded(part);
    if (joined && part.kind === "one" && own.length === 1) pieces.push(`${pieces.pop()}${own[0]}`);
    else pieces.push(...own);
    joined = part.kind === "one" && own.length === 1;
  }
  return pieces;
}

function holdsAll(text: string, pieces: readonly string[]): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return true;
}

/** The program of an NFA. */
type Instruction =
  | { readonly do: "read"; readonly test: Test }
  | { readonly do: "fork"; to: readonly number[] }
  | { readonly do: "edge"; readonly edge: Edge }
  | { readonly do: "look"; readonly program: readonly Instruction[]; readonly negative: boolean }
  | { readonly do: "fits" };

function compiled(node: Node): readonly Instruction[] {
  const program: Instruction[] = [];
  write(node, program);
  program.push({ do: "fits" });
  return program;
}

function write(node: Node, into: Instruction[]): void {
  if (into.length > LARGEST) throw new Refusal("it is too large");
  switch (node.kind) {
    case "one":
      into.push({ do: "read", test: node.test });
      return;
    case "edge":
      into.push({ do: "edge", edge: node.edge });
      return;
    case "look":
      into.push({ do: "look", program: compiled(node.node), negative: node.negative });
      return;
    case "all":
      for (const part of node.parts) write(part, into);
      return;
    case "any":
      writeOptions(node.options, into);
      return;
    case "repeat":
      writeRepeat(node, into);
  }
}

function writeOptions(options: readonly Node[], into: Instruction[]): void {
  const choice = { do: "fork" as const, to: [] as number[] };
  into.push(choice);
  const ends = options.map((option) => {
    choice.to.push(into.length);
    write(option, into);
    const end = { do: "fork" as const, to: [] as readonly number[] };
    into.push(end);
    return end;
  });
  for (const end of ends) end.to = [into.length];
}

function writeRepeat(node: Extract<Node, { kind: "repeat" }>, into: Instruction[]): void {
  for (let i = 0; i < node.min; i++) write(node.node, into);
  if (node.max === Infinity) {
    const loop = { do: "fork" as const, to: [] as readonly number[] };
    const start = into.push(loop) - 1;
    write(node.node, into);
    into.push({ do: "fork", to: [start] });
    loop.to = [start + 1, into.length];
    return;
  }
  const skips: { to: readonly number[] }[] = [];
  for (let i = node.min; i < node.max; i++) {
    const skip = { do: "fork" as const, to: [into.length + 1] as readonly number[] };
    into.push(skip);
    skips.push(skip);
    write(node.node, into);
  }
  for (const skip of skips) skip.to = [...skip.to, into.length];
}

/** Searches the whole text; if `from` is given (lookahead), matches only there. */
function runs(program: readonly Instruction[], text: string, from: number | null = null): boolean {
  const seen = new Int32Array(program.length).fill(-1);
  let states: number[] = [];
  for (let at = from ?? 0; at <= text.length; at++) {
    const here = states;
    if (from === null || at === from) here.push(0);
    const open = spread(program, here, { text, at, seen });
    if (open === "fits") return true;
    if (open.length === 0 && from !== null) return false;
    const code = text.charCodeAt(at);
    states = [];
    if (at < text.length)
      for (const state of open) {
        const step = program[state];
        if (step?.do === "read" && step.test(code)) states.push(state + 1);
      }
  }
  return false;
}

/** All states that can be reached without reading a character, each once. */
function spread(
  program: readonly Instruction[],
  from: readonly number[],
  place: { readonly text: string; readonly at: number; readonly seen: Int32Array },
): readonly number[] | "fits" {
  const reading: number[] = [];
  const todo = [...from];
  for (let state = todo.pop(); state !== undefined; state = todo.pop()) {
    if (place.seen[state] === place.at) continue;
    place.seen[state] = place.at;
    const step = program[state];
    if (step?.do === "fits") return "fits";
    if (step?.do === "read") reading.push(state);
    else if (step?.do === "fork") todo.push(...step.to);
    else if (step?.do === "edge" && isAt(step.edge, place)) todo.push(state + 1);
    else if (step?.do === "look" && runs(step.program, place.text, place.at) !== step.negative) todo.push(state + 1);
  }
  return reading;
}

function isAt(edge: Edge, { text, at }: { readonly text: string; readonly at: number }): boolean {
  if (edge === "start") return at === 0;
  if (edge === "end") return at === text.length || (at === text.length - 1 && text[at] === "\n");
  if (edge === "line-start") return at === 0 || text[at - 1] === "\n";
  if (edge === "line-end") return at === text.length || text[at] === "\n";
  const between = isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at));
  return between === (edge === "word");
}
