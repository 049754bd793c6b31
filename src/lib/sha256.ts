/** 64 hex digits. The module is slow to load, and few commands hash. */
export function sha256(text: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex");
}
