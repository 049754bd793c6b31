/** Runs `act` while no other thread with the same memory runs its own. */
export type WithLock = <T>(act: () => Promise<T>) => Promise<T>;

/**
 * A lock for threads that store into one database. The database's own lock would make them sleep and retry; here the
 * next one continues at once. A waiting thread blocks, because it has nothing else to do.
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

/** Does nothing if another thread holds the lock, so it can be called for a thread that died. */
export function releaseThreadLock(shared: SharedArrayBuffer, name: number): void {
  const cell = new Int32Array(shared);
  if (Atomics.compareExchange(cell, 0, name, NOBODY) === name) Atomics.notify(cell, 0, 1);
}

const NOBODY = 0;

/** Returns the previous holder; `NOBODY` if the lock was acquired. */
function acquire(cell: Int32Array, name: number): number {
  return Atomics.compareExchange(cell, 0, NOBODY, name);
}
