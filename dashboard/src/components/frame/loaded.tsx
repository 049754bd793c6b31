import type { ComponentChildren } from "preact";
import type { Resource } from "../../api/use-resource.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { Skeleton } from "./skeleton.tsx";

type Props<T> = {
  readonly resource: Resource<T>;
  readonly rows?: number;
  readonly children: (value: T) => ComponentChildren;
};

/** Shows a skeleton, a problem or the value. With a problem, the last known value stays on screen. */
export function Loaded<T>({ resource, rows = 8, children }: Props<T>) {
  const { value, problem, stale, reload } = resource;
  return (
    <div aria-busy={stale || (value === null && problem === null)}>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {value === null && problem === null && <Skeleton rows={rows} />}
      {value !== null && <div class={stale ? "opacity-50 transition-opacity" : ""}>{children(value)}</div>}
    </div>
  );
}
