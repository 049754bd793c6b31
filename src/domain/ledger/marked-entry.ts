import { severities, type Severity } from "./ledger.ts";

/** What a WIN or a MISTAKE marker says. */
export interface MarkedEntry {
  readonly what: string;
  readonly why: string;
  readonly pattern: string;
  /** Of a mistake. */
  readonly shouldHave: string;
  readonly signal: string;
  readonly severity: Severity;
}

/** With any of the usual field names. A text says what is missing. */
export function parseMarkedEntry(
  kind: "mistake" | "win",
  data: Readonly<Record<string, unknown>>,
): MarkedEntry | string {
  const text = (...names: readonly string[]): string => {
    const found = names.map((name) => data[name]).find((value) => typeof value === "string" && value.trim() !== "");
    return typeof found === "string" ? found.trim().slice(0, LONGEST) : "";
  };
  const entry: MarkedEntry = {
    what: text("what", "content", "text"),
    why: text("why", "why_it_worked", "reason"),
    pattern: text("pattern"),
    shouldHave: text("should_have", "shouldHave"),
    signal: text("signal", "signal_traced"),
    severity: severities.find((one) => one === data["severity"]) ?? "medium",
  };
  const needed = { what: entry.what, why: entry.why, pattern: entry.pattern };
  const ofMistake = kind === "mistake" ? { should_have: entry.shouldHave, signal: entry.signal } : {};
  const missing = Object.entries({ ...needed, ...ofMistake }).flatMap(([name, value]) => (value === "" ? [name] : []));
  return missing.length === 0 ? entry : `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`;
}

const LONGEST = 2_000;
