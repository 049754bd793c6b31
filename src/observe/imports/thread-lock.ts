/** Runs it while no other thread with the same memory runs its own. */
export type WithLock = <T>(act: () => Promise<T>) => Promise<T>;

/**
 * Threads that store into one database, one at a time. Left to the database, the others would nap and ask again; here
 * the next one goes on at once. A thread that waits stands still: it has nothing else to do.
 */
export function newThreadLock(shared: SharedArrayBuffer, name: number): WithLock {
  const cell = new Int32Array(shared);
  return async (act) => {
    for (let holder = acquire(cell, name); holder !== NOBODY; holder = acquire(cell, name))
      Atomics.wait(cell, 0, holder);
    try {
      return await act();
    } finally {
      releaseThreadLock(shared, name);
    }
  };
}

export function newLockMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** Does nothing where it is another's turn: so a thread that died can be released by who sees it. */
export function releaseThreadLock(shared: SharedArrayBuffer, name: number): void {
  const cell = new Int32Array(shared);
  if (Atomics.compareExchange(cell, 0, name, NOBODY) === name) Atomics.notify(cell, 0, 1);
}

const NOBODY = 0;

/** Who has it. */
function acquire(cell: Int32Array, name: number): number {
  return Atomics.compareExchange(cell, 0, NOBODY, name);
}
