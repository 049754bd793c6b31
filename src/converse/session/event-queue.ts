/** Hands on what is pushed, in order, to one reader. */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** With an error, the reader gets it after the last item. */
  end(error?: unknown): void;
}

/** `onLeave` is called if the reader stops before the end. */
export function newEventQueue<T>(onLeave: () => void): EventQueue<T> {
  const items: T[] = [];
  let wake: () => void = () => {};
  let end: { readonly error: unknown } | null = null;
  return {
    push: (item) => {
      items.push(item);
      wake();
    },
    end: (error) => {
      end ??= { error };
      wake();
    },
    [Symbol.asyncIterator]: async function* () {
      let isRead = false;
      try {
        for (;;) {
          for (let item = items.shift(); item !== undefined; item = items.shift()) yield item;
          if (end !== null) break;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        isRead = true;
        if (end.error !== undefined) throw end.error;
      } finally {
        if (!isRead) onLeave();
      }
    },
  };
}
