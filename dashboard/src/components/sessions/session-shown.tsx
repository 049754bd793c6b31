import { useResource } from "../../api/use-resource.ts";
import { formatMany } from "../../text/count.ts";
import { Chevron } from "../chevron.tsx";
import { ShownList } from "../memory/shown-list.tsx";

const LIMIT = 200;

/** What oldhand showed to this session; renders nothing if that is empty. */
export function SessionShown({ id }: { readonly id: string }) {
  const { value } = useResource("rules/shown", { session: id, limit: LIMIT });
  if (value === null || value.shown.length === 0) return null;
  const { shown } = value;
  const tokens = shown.reduce((sum, one) => sum + one.tokens, 0);
  const rules = new Set(shown.map((one) => one.rule)).size;
  const broken = shown.filter((one) => one.broken).length;
  return (
    <details class="group mb-3">
      <summary class="inline-flex items-center gap-1.5 text-sm text-soft hover:text-ink">
        <Chevron />
        {formatMany(rules, "rule")} shown in this session
        {shown.length > rules && `, ${formatMany(shown.length, "time")}`}, {formatMany(tokens, "token")}
        {broken > 0 && `, ${broken} broken afterwards`}
      </summary>
      <div class="mt-1.5">
        <ShownList shown={shown} link="rule" />
      </div>
    </details>
  );
}
