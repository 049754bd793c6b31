import type { ComponentChildren } from "preact";

export type FigureColumn<Row> = { readonly title: string; readonly read: (row: Row) => string };

type Props<Row> = {
  /** Describes the table to screen readers. */
  readonly label: string;
  /** The table's visible title. */
  readonly title?: string;
  /** The heading of the first column. */
  readonly name: string;
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  readonly columns: readonly FigureColumn<Row>[];
};

/** One row of figures for each name. On a narrow screen every figure stands under the name, with its title. */
export function FigureTable<Row>({ label, title, name, rows, nameOf, columns }: Props<Row>) {
  return (
    <div class="border-y border-line" role="region" aria-label={label}>
      <table class="w-full text-sm max-sm:block">
        <caption class={title === undefined ? "sr-only" : "py-1.5 text-left font-medium max-sm:block"}>
          {title ?? label}
        </caption>
        <thead class="max-sm:sr-only">
          <tr class="text-left text-soft">
            <Heading isFirst>{name}</Heading>
            {columns.map((one) => (
              <Heading key={one.title}>{one.title}</Heading>
            ))}
          </tr>
        </thead>
        <tbody class="divide-y divide-line max-sm:block">
          {rows.map((row) => (
            <tr key={nameOf(row)} class="max-sm:grid max-sm:grid-cols-3 max-sm:gap-x-3 max-sm:py-2">
              <th
                scope="row"
                class="min-w-36 py-1.5 pr-3 text-left font-normal [overflow-wrap:anywhere] max-sm:col-span-3 max-sm:font-medium"
              >
                {nameOf(row)}
              </th>
              {columns.map((one) => (
                <td
                  key={one.title}
                  class="py-1.5 pl-3 text-right whitespace-nowrap max-sm:py-0.5 max-sm:pl-0 max-sm:text-left"
                >
                  <span class="block text-xs text-faint sm:hidden" aria-hidden="true">
                    {one.title}
                  </span>
                  {one.read(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading({ isFirst = false, children }: { readonly isFirst?: boolean; readonly children: ComponentChildren }) {
  return (
    <th scope="col" class={`py-1.5 font-normal whitespace-nowrap ${isFirst ? "pr-3" : "pl-3 text-right"}`}>
      {children}
    </th>
  );
}
