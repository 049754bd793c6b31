import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ProblemNotice } from "./frame/problem-notice.tsx";
import { Skeleton } from "./frame/skeleton.tsx";

/** A component in a file of its own, which is loaded when it is first shown. */
export function makeLazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [Found, setFound] = useState<ComponentType<Props> | null>(() => loaded);
    const [isFailed, setIsFailed] = useState(false);
    useEffect(() => {
      if (Found !== null) return;
      load().then(
        (found) => {
          loaded = found;
          setFound(() => found);
        },
        () => setIsFailed(true),
      );
    }, []);
    if (isFailed) return <ProblemNotice problem={notLoaded} retry={() => location.reload()} />;
    return Found === null ? <Skeleton rows={8} /> : <Found {...props} />;
  };
}

const notLoaded = {
  code: "not-loaded",
  message: "A part of this page could not be loaded.",
  hint: "The server may have been stopped, or updated since the page was opened.",
};
