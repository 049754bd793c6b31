/** Renders text between `backticks` as code. No other markup is interpreted. */
export function WithCommands({ text }: { readonly text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <code key={index} class="rounded-[3px] bg-sunken px-1 text-ink">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </>
  );
}
