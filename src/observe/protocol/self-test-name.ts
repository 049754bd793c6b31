/** The name of a session that never was: its events are noted as arrived, and neither stored nor kept. */
export function isSelfTest(session: string): boolean {
  return session.startsWith(SELF_TEST_PREFIX);
}

export const SELF_TEST_PREFIX = "oldhand-self-test-";
