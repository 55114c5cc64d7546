import { minorDigits } from "../../../server/src/core/currency.ts";
import type { Amount } from "../../kit/src/connector.ts";

/**
 * Currencies whose amounts in Stripe's API have other decimals than in ISO 4217, by Stripe's page on currencies
 * (November 2026).
 */
const stripeDecimals: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };

function factorOf(currency: string): { readonly multiply: bigint; readonly divide: bigint } {
  const difference = (stripeDecimals[currency] ?? 0) - (minorDigits(currency) ?? 0);
  if (stripeDecimals[currency] === undefined || difference === 0) return { multiply: 1n, divide: 1n };
  return difference > 0
    ? { multiply: 10n ** BigInt(difference), divide: 1n }
    : { multiply: 1n, divide: 10n ** BigInt(-difference) };
}

/** An amount in Stripe's unit; undefined if Stripe cannot represent it. */
export function toStripeAmount({ currency, value }: Amount): number | undefined {
  const { multiply, divide } = factorOf(currency);
  const minor = BigInt(value) * multiply;
  return minor % divide === 0n ? Number(minor / divide) : undefined;
}

export function toAmount(currency: string, stripeMinor: number): Amount {
  const code = currency.toUpperCase();
  const { multiply, divide } = factorOf(code);
  return { currency: code, value: String((BigInt(stripeMinor) * divide) / multiply) };
}
