/** One holder at a time on one connection; the others queue, in order. */
export interface Mutex {
  readonly isLocked: boolean;
  runLocked<T>(act: () => Promise<T>): Promise<T>;
}

export function newMutex(): Mutex {
  let tail: Promise<unknown> = Promise.resolve();
  let holders = 0;
  return {
    get isLocked() {
      return holders > 0;
    },
    runLocked: <T>(act: () => Promise<T>): Promise<T> => {
      holders++;
      const turn = tail.then(act, act).finally(() => {
        holders--;
      });
      tail = turn.then(ignore, ignore);
      return turn;
    },
  };
}

function ignore(): void {}
