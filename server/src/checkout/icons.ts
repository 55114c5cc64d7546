import { html, type Html } from "../formats/html.ts";
import type { CheckoutState } from "./checkout.ts";

/** An icon for the state, in its colour. It is decorative, because the heading says the same. */
export function stateIcon(state: CheckoutState): Html {
  return html`<svg class="icon" viewBox="0 0 64 64" aria-hidden="true">
    <circle class="disc" cx="32" cy="32" r="30" />
    ${stateDrawings[state]}
  </svg>`;
}

const spinner = html`<circle class="track" cx="32" cy="32" r="16" />
  <path class="wheel" d="M32 16a16 16 0 0 1 16 16" />`;
const phone = html`<path class="sign" d="M24 15h16v34H24zM30 43h4" />`;
const tick = html`<path class="sign tick" pathLength="1" d="M20.5 33.5l8 8 15.5-17.5" />`;
const cross = html`<path class="sign" d="M24 24l16 16M40 24L24 40" />`;
const clock = html`<circle class="sign" cx="32" cy="32" r="15" /> <path class="sign" d="M32 23v9l6 4" />`;
const bar = html`<path class="sign" d="M22 32h20" />`;

const stateDrawings: Readonly<Record<CheckoutState, Html>> = {
  choosing: phone,
  preparing: spinner,
  waiting: phone,
  changing: spinner,
  closing: spinner,
  pending: spinner,
  paid: tick,
  failed: cross,
  expired: clock,
  cancelled: bar,
};

/** The logo of Tollgate: a barrier, half open. */
export const tollgateLogo = html`<svg
  xmlns="http://www.w3.org/2000/svg"
  viewBox="0 0 32 32"
  width="20"
  height="20"
  aria-hidden="true"
>
  <path d="M7 27V15" stroke="#64748b" stroke-width="5" stroke-linecap="round" />
  <path d="M7 16 27 6" stroke="#e5484d" stroke-width="5" stroke-linecap="round" />
  <path d="M12.5 13.2l3.6-1.8M19.5 9.7l3.6-1.8" stroke="#fff" stroke-width="5" />
</svg>`;
