import type { ApiProblem } from "../../api/api-result.ts";
import { WithCommands } from "../with-commands.tsx";

type Props = { readonly problem: ApiProblem; readonly retry?: () => void };

export function ProblemNotice({ problem, retry }: Props) {
  return (
    <div
      role="alert"
      class="my-4 flex flex-wrap items-start gap-x-4 gap-y-2 border-l-2 border-fail bg-fail-wash px-4 py-3"
    >
      <div class="min-w-0 flex-1">
        <p class="font-medium break-words">{problem.message}</p>
        {problem.hint !== null && (
          <p class="text-soft">
            <WithCommands text={problem.hint} />
          </p>
        )}
        <p class="mt-1 text-xs text-faint">
          code <code>{problem.code}</code>
        </p>
      </div>
      {retry && (
        <button type="button" class="press" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
