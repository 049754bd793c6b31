const shapes = {
  play: "M4 2.5v9l7-4.5z",
  pause: "M3.5 2.5h2.5v9H3.5zM8 2.5h2.5v9H8z",
  back: "M10.5 2.5v9L4.5 7zM2.5 2.5H4v9H2.5z",
  forth: "M3.5 2.5v9l6-4.5zM10 2.5h1.5v9H10z",
  up: "M7 2.5 11.5 9h-9z",
  down: "M7 11.5 2.5 5h9z",
} as const;

/** Hidden from screen readers: the button around it has a label. */
export function Icon({ name }: { readonly name: keyof typeof shapes }) {
  return (
    <svg class="my-[0.1875rem] block size-3.5 fill-current" viewBox="0 0 14 14" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
