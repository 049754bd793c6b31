import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Closer to the end than this, in pixels, counts as reading the end. */
const NEAR = 120;

/** Keeps the end of a growing page in view, unless the person has scrolled up. `key` changes with what is shown. */
export function useStickToEnd(key: unknown, isLoaded: boolean): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const onScroll = () => {
      const { scrollHeight } = document.documentElement;
      isAtEnd.current = scrollY + innerHeight > scrollHeight - NEAR;
    };
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  }, []);
  useLayoutEffect(() => {
    if (isLoaded && isAtEnd.current) scrollToEnd();
  }, [key, isLoaded]);
  useEffect(() => {
    if (!isLoaded) return;
    // A new page is scrolled to its top a moment after it is shown.
    const timer = setTimeout(scrollToEnd, 100);
    return () => clearTimeout(timer);
  }, [isLoaded]);
}

function scrollToEnd(): void {
  scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
}
