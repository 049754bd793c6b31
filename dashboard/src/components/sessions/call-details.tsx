import type { ComponentChildren } from "preact";
import type { SessionEvent } from "../../api/contract.ts";
import { makePath } from "../../browser/route.ts";
import { TextBlock, JsonValue } from "../json-value.tsx";

export function CallDetails({ event }: { readonly event: SessionEvent }) {
  const { input, error, text, signature } = event;
  return (
    <div class="mb-2 ml-5 flex flex-col gap-3 bg-ink/4 px-3 py-2.5">
      {input !== null && input !== undefined && (
        <Part name="Input">
          <JsonValue value={input} />
        </Part>
      )}
      {error !== null && (
        <Part name="Error">
          <TextBlock text={error} tone={event.benign ? "text-soft" : "text-fail"} />
        </Part>
      )}
      {text !== null && text !== "" && (
        <Part name="Output">
          <TextBlock text={text} />
        </Part>
      )}
      {signature !== null && (
        <p class="text-xs">
          <a href={makePath("/failures", { signature })}>All failures like this one</a>
        </p>
      )}
      {(input === null || input === undefined) && error === null && !text && (
        <p class="text-xs text-soft">Nothing more was recorded.</p>
      )}
    </div>
  );
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h2 class="mb-0.5 text-xs font-medium text-soft">{name}</h2>
      {children}
    </section>
  );
}
