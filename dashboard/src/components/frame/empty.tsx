import { WithCommands } from "../with-commands.tsx";

type Props = { readonly title: string; readonly text: string };

/** An empty state, with what to do about it. */
export function Empty({ title, text }: Props) {
  return (
    <div class="border-y border-line py-8 text-center">
      <p class="font-medium">{title}</p>
      <p class="mx-auto max-w-[60ch] text-soft">
        <WithCommands text={text} />
      </p>
    </div>
  );
}
