/** Collects output without limit of time, and keeps its beginning and its end. */
export interface OutputCapture {
  add(text: string): void;
  text(): string;
}

export function captureOutput(most: number): OutputCapture {
  const headRoom = Math.ceil(most * 0.4);
  const tailRoom = most - headRoom;
  let head = "";
  let tail = "";
  let dropped = 0;
  return {
    add: (text) => {
      const space = headRoom - head.length;
      const first = tail === "" && dropped === 0 && space > 0 ? text.slice(0, space) : "";
      head += first;
      tail += text.slice(first.length);
      // Cut only when it is much too long, so that many small pieces cost little.
      if (tail.length > 2 * tailRoom) {
        dropped += tail.length - tailRoom;
        tail = tail.slice(-tailRoom);
      }
    },
    text: () => {
      const cut = dropped + Math.max(0, tail.length - tailRoom);
      if (cut === 0) return (head + tail).toWellFormed();
      return `${head}\n… [${cut} characters cut] …\n${tail.slice(-tailRoom)}`.toWellFormed();
    },
  };
}
