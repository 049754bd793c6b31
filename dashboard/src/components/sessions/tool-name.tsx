type Props = { readonly tool: string | null; readonly head?: string | null };

/** "Bash · git push": the tool and, for a shell, its command. */
export function ToolName({ tool, head = null }: Props) {
  if (tool === null) return null;
  return (
    <span class="min-w-0 truncate text-soft">
      {tool}
      {head !== null && head !== "" && <code> · {head}</code>}
    </span>
  );
}
