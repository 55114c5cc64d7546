import type { ReactNode } from "react";
import type { Tone } from "./columns.tsx";

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly said: string;
}

/** Horizontal bars with labels; the longest bar fills the available width. Values are also readable as text. */
export function Bars({ bars, tone }: { readonly bars: readonly Bar[]; readonly tone: Tone }): ReactNode {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className="bars">
      {bars.map(({ name, value, said }) => (
        <li key={name}>
          <span className="bars-name">{name}</span>
          <span className="bars-said">{said}</span>
          <svg className="bars-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect className="bars-ground" width={100} height={6} />
            <rect className="chart-bar" data-tone={tone} width={(100 * value) / most} height={6} />
          </svg>
        </li>
      ))}
    </ul>
  );
}
