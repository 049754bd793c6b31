import { useEffect, useState } from "preact/hooks";

/** The time now in milliseconds, renewed every second while somebody counts. */
export function useSeconds(isCounting: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isCounting) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isCounting]);
  return now;
}
