import { parseDiffLines } from "../../text/unified-diff.ts";
import { DiffLines } from "../history/diff-lines.tsx";
import { TextBlock } from "../json-value.tsx";

type Props = { readonly detail: string; readonly label: string };

/** What would be done: a diff as such, anything else as it is. */
export function ApprovalDetail({ detail, label }: Props) {
  if (detail === "") return null;
  if (parseDiffLines(detail).length > 0)
    return (
      // Long diffs scroll: the keyboard must be able to reach them.
      <div class="max-h-96 overflow-y-auto" tabIndex={0} role="group" aria-label={label}>
        <DiffLines diff={detail} label={`Diff of: ${label}`} />
      </div>
    );
  return (
    <div class="max-h-96 overflow-y-auto bg-sunken px-3 py-2" tabIndex={0} role="group" aria-label={label}>
      <TextBlock text={detail} isWhole />
    </div>
  );
}
