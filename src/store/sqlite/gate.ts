/** One holder at a time on one connection; the others queue, in order. */
export interface Gate {
  readonly held: boolean;
  hold<T>(act: () => Promise<T>): Promise<T>;
}

export function newGate(): Gate {
  let tail: Promise<unknown> = Promise.resolve();
  let holders = 0;
  return {
    get held() {
      return holders > 0;
    },
    hold: <T>(act: () => Promise<T>): Promise<T> => {
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
