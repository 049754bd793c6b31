import { useEffect, useState } from "preact/hooks";
import type { ApiResult } from "../../api/api-result.ts";
import type { DeclaredAction, Subject } from "../../actions/action.ts";
import { rehearse, type Values } from "../../actions/run-action.ts";
import { formatMany } from "../../text/count.ts";
import { isRecord } from "../../text/difference.ts";
import { ProblemNotice } from "../frame/problem-notice.tsx";

const MOST = 8;

/** Shows what an action would do, before it runs. */
export function Rehearsal({ action, subject }: { readonly action: DeclaredAction; readonly subject: Subject }) {
  const [result, setResult] = useState<ApiResult<Values> | null>(null);
  useEffect(() => {
    let isWanted = true;
    void rehearse(action, subject).then((came) => isWanted && setResult(came));
    return () => {
      isWanted = false;
    };
  }, [action, subject]);
  if (result === null) return <p class="late text-sm text-faint">Looking what it would do…</p>;
  if (result.kind === "failed") return <ProblemNotice problem={result.problem} />;
  const found = listFound(result.value);
  return (
    <div class="rounded border border-line bg-sunken px-3 py-2 text-sm">
      <p>{describeFound(result.value, found.length)}</p>
      <ul class="mt-1 flex flex-col gap-1 text-soft">
        {found.slice(0, MOST).map((text, index) => (
          <li key={index} class="line-clamp-2 break-words">
            {text}
          </li>
        ))}
      </ul>
      {found.length > MOST && <p class="mt-1 text-faint">and {formatMany(found.length - MOST, "other")}</p>}
    </div>
  );
}

function describeFound({ skipped }: Values, count: number): string {
  if (typeof skipped === "string") return `It would do nothing: ${skipped}.`;
  return count === 0 ? "It would change nothing." : `It would look at ${formatMany(count, "thing")}:`;
}

/** The texts of the first non-empty list in the response. */
function listFound(result: Values): readonly string[] {
  const list = Object.values(result).find((value) => Array.isArray(value) && value.length > 0);
  return (Array.isArray(list) ? list : []).flatMap((one: unknown) => {
    if (!isRecord(one)) return [];
    const text = one["text"] ?? (isRecord(one["kept"]) ? one["kept"]["text"] : undefined);
    return typeof text === "string" ? [text] : [];
  });
}
