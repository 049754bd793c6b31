/** For a store that answers, but not today: a table locked by somebody, a link that hangs. A host must not wait for it. */
const PATIENCE_MS = 200;

export async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("the store takes too long")), PATIENCE_MS);
  });
  // What comes after its time is nobody's concern any more, whether it went well or not.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
