/** The computer's own name. The module is loaded on demand, because hooks use this. */
export function machineName(): string {
  return process.getBuiltinModule("node:os").hostname();
}
