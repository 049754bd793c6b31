import { formatValue, isRecord } from "../text/difference.ts";
import { showControls } from "../text/show-controls.ts";

/** A JSON value in readable form: fields by name, strings with their line breaks. */
export function JsonValue({ value }: { readonly value: unknown }) {
  if (!isRecord(value)) return <TextBlock text={formatValue(value)} />;
  return (
    <dl class="grid gap-x-4 gap-y-1.5 sm:grid-cols-[minmax(5rem,max-content)_minmax(0,1fr)]">
      {Object.entries(value).map(([name, part]) => (
        <div key={name} class="contents">
          <dt class="pt-px font-mono text-xs text-soft">{name}</dt>
          <dd class="min-w-0">
            <TextBlock text={formatValue(part)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

type TextProps = { readonly text: string; readonly tone?: string; readonly isWhole?: boolean };

/** A long text scrolls, unless the place around it does (`isWhole`). */
export function TextBlock({ text, tone = "text-ink", isWhole = false }: TextProps) {
  return (
    <pre class={`text-xs leading-normal ${isWhole ? "" : "max-h-80 overflow-y-auto"} ${tone}`}>
      {showControls(text)}
    </pre>
  );
}
