import { useElementSize } from "@mantine/hooks";
import type { ReactNode } from "react";

export type Tone = "accent" | "happened" | "refused" | "quiet" | "unknown";

export interface Column {
  readonly label: string;
  /** Stacked parts of a column, from bottom to top. */
  readonly parts: readonly { readonly tone: Tone; readonly value: number; readonly name: string }[];
}

interface Props {
  /** The accessible name of the picture; the table has the figures. */
  readonly name: string;
  readonly columns: readonly Column[];
  readonly format: (value: number) => string;
  /** The maximum of the scale, if it is known: 1 for shares. */
  readonly maximum?: number;
}

const height = 190;
const [top, bottom, left] = [10, 24, 58];

/** A column chart over time, drawn as SVG without a chart library. */
export function Columns({ name, columns, format, maximum }: Props): ReactNode {
  const { ref, width } = useElementSize();
  const highest = maximum ?? niceTop(Math.max(0, ...columns.map(sumParts)));
  const step = Math.max(0, width - left) / Math.max(1, columns.length);
  const yOf = (value: number): number => top + (height - top - bottom) * (1 - value / highest);
  return (
    <div ref={ref} className="chart">
      <svg width={width} height={height} role="img" aria-label={name}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line
              className="chart-line"
              x1={left}
              x2={width}
              y1={yOf(share * highest)}
              y2={yOf(share * highest)}
            />
            <text className="chart-text" x={left - 8} y={yOf(share * highest) + 4} textAnchor="end">
              {format(share * highest)}
            </text>
          </g>
        ))}
        {columns.map((column, index) => (
          <Stacked
            key={column.label}
            column={column}
            x={left + index * step}
            width={Math.max(1, step - Math.min(4, step * 0.25))}
            yOf={yOf}
            format={format}
          />
        ))}
        {labelled(columns, width).map((index) => (
          <text
            key={index}
            className="chart-text"
            x={left + (index + 0.5) * step}
            y={height - 6}
            textAnchor={index === 0 ? "start" : index === columns.length - 1 ? "end" : "middle"}
          >
            {columns[index]?.label}
          </text>
        ))}
      </svg>
    </div>
  );
}

interface StackedProps {
  readonly column: Column;
  readonly x: number;
  readonly width: number;
  readonly yOf: (value: number) => number;
  readonly format: (value: number) => string;
}

function Stacked({ column, x, width, yOf, format }: StackedProps): ReactNode {
  const { label, parts } = column;
  const summary = parts
    .filter(({ value }) => value > 0)
    .map(({ name, value }) => `${name}: ${format(value)}`);
  let stackedValue = 0;
  return (
    <g>
      <title>{[label, ...summary].join("\n")}</title>
      {parts.map(({ tone, value }, index) => {
        const [low, high] = [yOf(stackedValue), yOf(stackedValue + value)];
        stackedValue += value;
        return (
          // Parts have no id, so their index is the key.
          <rect
            key={index}
            className="chart-bar"
            data-tone={tone}
            x={x}
            y={high}
            width={width}
            height={low - high}
            rx={Math.min(2, width / 3)}
          />
        );
      })}
      {/* A transparent bar over the whole height, so that low columns can be pointed at too. */}
      <rect className="chart-touch" x={x} y={top} width={width} height={height - top - bottom} />
    </g>
  );
}

function sumParts({ parts }: Column): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}

/** `niceTop` returns the round maximum of the scale: 1, 2 or 5 times a power of ten. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((times) => times * power >= value) ?? 10) * power;
}

/** `labelled` returns the columns that get a label: as many as fit, including the first and the last. */
function labelled(columns: readonly Column[], width: number): readonly number[] {
  const last = columns.length - 1;
  if (last < 1) return columns.length === 1 ? [0] : [];
  const count = Math.min(columns.length, Math.max(2, Math.floor((width - left) / 96)));
  return [...new Set(Array.from({ length: count }, (_, nth) => Math.round((nth * last) / (count - 1))))];
}
