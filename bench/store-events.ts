import type { NewEvent } from "../src/domain/event/event.ts";
import { hashText } from "../src/lib/hash.ts";

const PER_SESSION = 100;
const FAILURES_PER_SIGNATURE = 20;
const FAILS_EVERY = 12;

/**
 * The nth event of a realistic mind: about a hundred calls per session, about 600 bytes per call, every twelfth failed.
 */
export function makeEvent(n: number): NewEvent {
  const session = makeSessionId(n);
  const failed = n % FAILS_EVERY === 0;
  return {
    host: "claude-code",
    session,
    uid: `toolu_${hashText(`call ${n}`)}`,
    seq: n % PER_SESSION,
    at: 1_700_000_000_000 + n * 1_000,
    kind: "call",
    workspace: `/home/dev/projects/service-${Math.floor(n / PER_SESSION) % 40}`,
    cwd: `/home/dev/projects/service-${Math.floor(n / PER_SESSION) % 40}/src`,
    tool: "Bash",
    head: "npm test",
    input: { command: `npm test -- --filter case-${n}`, description: makeFiller(n) },
    ok: !failed,
    outcome: failed ? "failed" : "ok",
    benign: false,
    exitCode: failed ? 1 : 0,
    error: failed ? `Error: expected ${n} to equal ${n + 1} in case ${n}` : null,
    signature: failed ? makeSignature(n) : null,
    text: failed ? null : `ran 14 tests in ${n % 90} s, all green`,
    model: "claude-opus-4-6",
    agent: null,
    durationMs: 40 + (n % 5_000),
  };
}

/** Session ids are scattered like real ones, so that indexes are tested realistically. */
export function makeSessionId(n: number): string {
  const name = hashText(`session ${Math.floor(n / PER_SESSION)}`);
  return `${name.slice(0, 8)}-${name.slice(8, 12)}-4000-8000-${name.slice(4, 16)}`;
}

/** The number of failures per signature does not depend on the size of the mind. */
export function makeSignature(n: number): string {
  return `expected N to equal N (${Math.floor(n / FAILS_EVERY / FAILURES_PER_SIGNATURE)})`;
}

const words = "the deploy of a service waits for its tests and then for the migration of every table it owns ".repeat(
  12,
);

function makeFiller(n: number): string {
  const from = n % 90;
  return words.slice(from, from + 520);
}
