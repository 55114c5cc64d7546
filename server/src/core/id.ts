import { bucketCount } from "./bucket.ts";

/** The number of each kind of record in its ids, so that a refund id is never taken for a payment id. */
export const idKinds = {
  payment: "01",
  refund: "02",
  capture: "03",
  authorization: "04",
  dispute: "05",
  registration: "06",
  reversal: "07",
  notification: "08",
  clockTurn: "09",
  token: "10",
  settlementBatch: "11",
  payout: "12",
  payoutFile: "13",
  bankAccount: "14",
} as const;

export type IdKind = keyof typeof idKinds;

/**
 * Returns a random whole number from 0 up to, but not including, `below`. It is injected, so that tests can choose the
 * numbers.
 */
export type RandomBelow = (below: number) => number;

/**
 * `newId` returns 35 digits, sortable by time, with the address of the record: yyyyMMddHHmmssSSS (UTC) · bucket (4) ·
 * kind (2) · random (12).
 */
export function newId(kind: IdKind, bucket: number, now: Date, randomBelow: RandomBelow): string {
  const time = now.toISOString().replaceAll(/\D/g, "");
  const random = padDigits(randomBelow(1e6), 6) + padDigits(randomBelow(1e6), 6);
  return time + padDigits(bucket, 4) + idKinds[kind] + random;
}

export interface IdAddress {
  readonly kind: IdKind;
  readonly bucket: number;
}

/** The address of the record that an id contains, or undefined for a text that is none of our ids. */
export function parseId(id: string): IdAddress | undefined {
  if (!/^\d{35}$/.test(id)) return undefined;
  const bucket = Number(id.slice(17, 21));
  const kind = kindOf(id.slice(21, 23));
  return kind && bucket < bucketCount ? { kind, bucket } : undefined;
}

function kindOf(code: string): IdKind | undefined {
  return (Object.keys(idKinds) as IdKind[]).find((kind) => idKinds[kind] === code);
}

function padDigits(number: number, width: number): string {
  return String(number).padStart(width, "0");
}
