/** Text in which `backticks` mark what to type; nothing else in it is markup. */
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
