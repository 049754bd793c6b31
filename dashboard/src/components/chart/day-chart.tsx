import { useState } from "preact/hooks";
import { formatCount, formatExact, formatMany } from "../../text/count.ts";
import { DayTable } from "./day-table.tsx";
import { formatDay, formatOr, pickLabels, roundUp } from "./day-scale.ts";

/** One data series: bars are stacked, lines are drawn over them. */
export type Series = {
  readonly name: string;
  readonly kind: "bar" | "line";
  /** `fill-…` and `stroke-…` classes of the same colour. */
  readonly fill: string;
  readonly stroke: string;
  /** Null: nothing is known of that day. */
  readonly values: readonly (number | null)[];
  /** What it comes to in all, where that is not the sum of the days. */
  readonly total?: number | null;
};

export type DayMark = { readonly day: string; readonly text: string };

type Props = {
  /** Describes the chart to screen readers. */
  readonly label: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly marks?: readonly DayMark[];
  /** How a value is written; a whole number where nothing is said. */
  readonly format?: (value: number) => string;
  /** Further columns of the table. */
  readonly inTable?: readonly Series[];
};

const LABELS = 5;

/**
 * Counts by day. Hovering over a day, or the arrow keys, shows its values in the legend; a table has the same data. All
 * shapes are SVG attributes: the page's policy allows no inline styles.
 */
export function DayChart({ label, days, series, marks = [], inTable = [], format = formatExact }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const [isTable, setIsTable] = useState(false);
  const index = at === null ? null : Math.min(at, days.length - 1);
  return (
    <figure class="min-w-0" aria-label={label}>
      <div class="mb-3 flex items-baseline justify-between gap-x-4">
        <Legend days={days} series={series} index={index} format={format} />
        <button
          type="button"
          class="shrink-0 text-xs text-link underline-offset-3 hover:underline"
          aria-pressed={isTable}
          onClick={() => setIsTable(!isTable)}
        >
          Show as {isTable ? "chart" : "table"}
        </button>
      </div>
      {isTable ? (
        <DayTable label={label} days={days} series={[...series, ...inTable]} marks={marks} format={format} />
      ) : (
        <Plot label={label} days={days} series={series} marks={marks} format={format} index={index} onIndex={setAt} />
      )}
      {marks.length > 0 && (
        <p class="mt-1.5 flex flex-wrap gap-x-4 text-xs text-faint">
          {marks.map((mark) => (
            <span key={`${mark.day} ${mark.text}`}>
              <span aria-hidden="true" class="mr-1.5 inline-block h-2.5 border-l-2 border-dashed border-brass" />
              {mark.text} {formatDay(mark.day, { long: true })}
            </span>
          ))}
        </p>
      )}
    </figure>
  );
}

type LegendProps = Required<Pick<Props, "days" | "series" | "format">> & { readonly index: number | null };

/** The names with their values on the selected day, or in total. */
function Legend({ days, series, index, format }: LegendProps) {
  return (
    <figcaption class="flex min-w-0 flex-wrap items-baseline gap-x-4 gap-y-0.5 text-sm">
      <span class="w-24 text-soft">
        {index === null ? `In ${formatMany(days.length, "day")}` : formatDay(days[index] ?? "", { long: true })}
      </span>
      {series.map(({ name, fill, stroke, kind, values, total = sumUp(values) }) => (
        <span key={name} class="flex min-w-0 items-baseline gap-1.5">
          <svg class="size-2.5 shrink-0" viewBox="0 0 10 10" aria-hidden="true">
            {kind === "bar" ? (
              <rect class={fill} width="10" height="10" rx="2" />
            ) : (
              <line class={stroke} x1="0" x2="10" y1="5" y2="5" stroke-width="3" />
            )}
          </svg>
          <span class="min-w-0 text-soft [overflow-wrap:anywhere]">{name}</span>
          <span class="font-medium">{formatOr(index === null ? total : (values[index] ?? null), format)}</span>
        </span>
      ))}
    </figcaption>
  );
}

function sumUp(values: Series["values"]): number {
  return values.reduce((sum: number, value) => sum + (value ?? 0), 0);
}

type PlotProps = Required<Omit<Props, "inTable">> & {
  readonly index: number | null;
  readonly onIndex: (index: number | null) => void;
};

const HEIGHT = 100;

function Plot({ label, days, series, marks, format, index, onIndex }: PlotProps) {
  const count = Math.max(1, days.length);
  const bars = series.filter(({ kind }) => kind === "bar");
  const lines = series.filter(({ kind }) => kind === "line");
  const most = roundUp(
    Math.max(
      0,
      ...days.map((_, day) => bars.reduce((sum, { values }) => sum + (values[day] ?? 0), 0)),
      ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)),
    ),
    format === formatExact ? 2 : 0,
  );
  const scale = format === formatExact ? formatCount : format;
  const y = (value: number) => HEIGHT - (value / most) * HEIGHT;
  const point = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    onIndex(Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * count))));
  };
  return (
    <div class="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
      <div
        class="flex h-36 min-w-9 flex-col justify-between text-right text-xs leading-none whitespace-nowrap text-faint"
        aria-hidden="true"
      >
        <span class="-translate-y-1/2">{scale(most)}</span>
        <span>{scale(most / 2)}</span>
        <span class="translate-y-1/2">0</span>
      </div>
      <div
        role="slider"
        tabIndex={0}
        class="cursor-crosshair"
        aria-label={`${label}, day by day`}
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={index ?? count - 1}
        aria-valuetext={readDay(days, series, index ?? count - 1, format)}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => onIndex(null)}
        onBlur={() => onIndex(null)}
        onKeyDown={(event) => {
          const next = findNext(event.key, index ?? count, count);
          if (next === null) return;
          event.preventDefault();
          onIndex(next);
        }}
      >
        <svg class="block h-36 w-full" viewBox={`0 0 ${count} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {[0, HEIGHT / 2, HEIGHT].map((at) => (
            <line key={at} class="stroke-line" x1="0" x2={count} y1={at} y2={at} vector-effect="non-scaling-stroke" />
          ))}
          {index !== null && <rect class="fill-ink/7" x={index} width="1" height={HEIGHT} />}
          {days.map((day, at) => (
            <Stack key={day} at={at} bars={bars} y={y} />
          ))}
          {lines.map((line) => (
            <Line key={line.name} line={line} y={y} />
          ))}
          {marks.map((mark) => (
            <line
              key={`${mark.day} ${mark.text}`}
              class="stroke-brass"
              x1={days.indexOf(mark.day) + 0.5}
              x2={days.indexOf(mark.day) + 0.5}
              y1="0"
              y2={HEIGHT}
              stroke-width="2"
              stroke-dasharray="4 3"
              vector-effect="non-scaling-stroke"
            />
          ))}
        </svg>
        <DayLabels days={days} />
      </div>
    </div>
  );
}

type StackProps = { readonly at: number; readonly bars: readonly Series[]; readonly y: (value: number) => number };

function Stack({ at, bars, y }: StackProps) {
  let below = 0;
  return (
    <>
      {bars.map(({ name, fill, values }) => {
        const value = values[at] ?? 0;
        const top = y(below + value);
        const height = y(below) - top;
        below += value;
        return height === 0 ? null : (
          <rect key={name} class={fill} x={at + 0.16} y={top} width="0.68" height={height} />
        );
      })}
    </>
  );
}

function Line({ line, y }: { readonly line: Series; readonly y: (value: number) => number }) {
  const known = line.values.flatMap((value, at) => (value === null ? [] : [{ value, at }]));
  const drawn = known.map(({ value, at }) => `${at + 0.5},${y(value)}`);
  // A line needs two points. A single day is drawn as a dot: a line of no length with round ends.
  const isDot = drawn.length === 1;
  const points = (isDot ? [...drawn, ...drawn] : drawn).join(" ");
  const shape = {
    points,
    fill: "none",
    "stroke-linejoin": "round",
    "stroke-linecap": "round",
    "vector-effect": "non-scaling-stroke",
  } as const;
  // A paper-coloured outline keeps the line visible in front of bars of any colour.
  return (
    <>
      <polyline class="stroke-paper" stroke-width={isDot ? 11 : 5} {...shape} />
      <polyline class={line.stroke} stroke-width={isDot ? 8 : 2.5} {...shape} />
    </>
  );
}

/** Labels under the axis. A separate SVG, because the chart's SVG is stretched. */
function DayLabels({ days }: { readonly days: readonly string[] }) {
  return (
    <svg class="mt-1 block h-4 w-full overflow-visible fill-faint text-xs" aria-hidden="true">
      {pickLabels(days.length, LABELS).map((at) => (
        <text key={at} x={`${((at + 0.5) / days.length) * 100}%`} y="11" text-anchor={findAnchor(at, days.length)}>
          {formatDay(days[at] ?? "")}
        </text>
      ))}
    </svg>
  );
}

/** Labels are centred on their day; the first and last stay inside the chart. */
function findAnchor(at: number, count: number): "start" | "middle" | "end" {
  if (count < FEW_DAYS) return "middle";
  if (at === 0) return "start";
  return at === count - 1 ? "end" : "middle";
}

const FEW_DAYS = 8;

function readDay(
  days: readonly string[],
  series: readonly Series[],
  at: number,
  format: (value: number) => string,
): string {
  const values = series.map(({ name, values: all }) => `${formatOr(all[at] ?? null, format)} ${name.toLowerCase()}`);
  return `${formatDay(days[at] ?? "", { long: true })}: ${values.join(", ")}`;
}

function findNext(key: string, at: number, count: number): number | null {
  if (key === "ArrowLeft" || key === "ArrowDown") return Math.max(0, at - 1);
  if (key === "ArrowRight" || key === "ArrowUp") return Math.min(count - 1, at + 1);
  if (key === "PageUp") return Math.min(count - 1, at + 7);
  if (key === "PageDown") return Math.max(0, at - 7);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}
