/** True for the session of a self-test: its events are noted as arrived, but neither stored nor spooled. */
export function isSelfTest(session: string): boolean {
  return session.startsWith(SELF_TEST_PREFIX);
}

export const SELF_TEST_PREFIX = "oldhand-self-test-";
