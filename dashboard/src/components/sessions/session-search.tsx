import { useState } from "preact/hooks";

type Props = { readonly submitted: string; readonly onSearch: (words: string) => void };

/** Searches all recorded events. Enter searches; an empty field shows the list again. */
export function SessionSearch({ submitted, onSearch }: Props) {
  const [words, setWords] = useState(submitted);
  return (
    <form
      class="flex gap-2 max-sm:w-full"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(words.trim());
      }}
    >
      <input
        type="search"
        data-filter
        aria-label="Search in all sessions"
        aria-keyshortcuts="/"
        placeholder="Search in all sessions  /"
        class="field w-60 max-sm:w-full"
        value={words}
        onInput={({ currentTarget }) => {
          setWords(currentTarget.value);
          if (currentTarget.value === "") onSearch("");
        }}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
    </form>
  );
}
