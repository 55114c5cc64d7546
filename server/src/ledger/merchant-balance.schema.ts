import { Type, type Static } from "typebox";
import { forms } from "../contract/schemas.ts";
import type { MerchantBalance } from "./merchant-balance.ts";

/** A signed amount in minor units. */
export const Sum = (description: string) =>
  Type.String({ pattern: "^-?[0-9]{1,38}$", description, "x-digits": true });

export const Balance = Type.Object(
  {
    currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
    owed: Sum("Your balance: the amount that we owe you; negative if you owe us."),
    openRefunds: Sum("Amount of your balance that is reserved for refunds in progress."),
    available: Sum("Amount available for new refunds: owed minus open refunds."),
    frozen: Sum("Additional amount that is frozen for disputes."),
    reserve: Sum("Additional amount that is held in reserve by your contract."),
    inTransit: Sum("Amount in payouts in progress, not included in the other amounts."),
  },
  { title: "Balance", description: "Your balance in one currency." },
);

export function toBalance(balance: MerchantBalance): Static<typeof Balance> {
  const { currency, owedMinor, openRefundsMinor } = balance;
  return {
    currency,
    owed: String(owedMinor),
    openRefunds: String(openRefundsMinor),
    available: String(owedMinor - openRefundsMinor),
    frozen: String(balance.frozenMinor),
    reserve: String(balance.reserveMinor),
    inTransit: String(balance.inTransitMinor),
  };
}

export const balanceExample: Static<typeof Balance> = {
  currency: "EUR",
  owed: "125000",
  openRefunds: "350",
  available: "124650",
  frozen: "0",
  reserve: "6250",
  inTransit: "98200",
};
