import { Type, type Static } from "typebox";
import { forms } from "../api/schemas.ts";
import type { Holding } from "./holding.ts";

/** A sum of either sign, in minor units. */
export const Sum = (description: string) =>
  Type.String({ pattern: "^-?[0-9]{1,38}$", description, "x-digits": true });

export const Balance = Type.Object(
  {
    currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
    owed: Sum("What we owe you; below zero, what you owe us."),
    openRefunds: Sum("What refunds under way will take of it."),
    available: Sum("What new refunds can take of it: owed, less open refunds."),
    frozen: Sum("What is kept back beside it for as long as it is disputed."),
    reserve: Sum("What is kept back beside it for a time, by your contract."),
    inTransit: Sum("What is on its way to your bank, and no part of the rest any more."),
  },
  { title: "Balance", description: "What you have in one currency." },
);

export function toBalance(holding: Holding): Static<typeof Balance> {
  const { currency, owedMinor, openRefundsMinor } = holding;
  return {
    currency,
    owed: String(owedMinor),
    openRefunds: String(openRefundsMinor),
    available: String(owedMinor - openRefundsMinor),
    frozen: String(holding.frozenMinor),
    reserve: String(holding.keptBackMinor),
    inTransit: String(holding.inTransitMinor),
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
