import type { Amount } from "./amount.ts";

/** Captured money of an authorization hold. */
export interface Capture {
  readonly reference: string;
  readonly paymentId: string;
  readonly captureReference: string;
  readonly walletCaptureId: string;
  readonly amount: Amount;
  readonly captureTime: string;
}

/** A capture as the provider protocol writes it. */
export function captureOnTheWire(capture: Capture): object {
  const { reference, captureReference, walletCaptureId, amount, captureTime } = capture;
  return { reference, captureReference, walletCaptureId, amount, captureTime };
}
