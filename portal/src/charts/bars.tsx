import type { ReactNode } from "react";
import type { Tone } from "./columns.tsx";

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly label: string;
}

/** Horizontal bars with labels; the longest bar fills the available width. Values are also readable as text. */
export function Bars({ bars, tone }: { readonly bars: readonly Bar[]; readonly tone: Tone }): ReactNode {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className="bars">
      {bars.map(({ name, value, label }) => (
        <li key={name}>
          <span className="bars-name">{name}</span>
          <span className="bars-said">{label}</span>
          <svg className="bars-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect className="bars-ground" width={100} height={6} />
            <rect className="chart-bar" data-tone={tone} width={(100 * value) / highest} height={6} />
          </svg>
        </li>
      ))}
    </ul>
  );
}
