import { Type, type TSchema } from "typebox";
import type { Money } from "../core/money.ts";
import { Id } from "../contract/schemas.ts";

/** Schemas shared by staff routes. Times are ISO 8601; amounts are integers in minor units. */
export const ClientId = Type.String({
  pattern: "^[A-Za-z0-9_]{1,64}$",
  description: "Client id of the merchant.",
});
export const ConnectorName = Type.String({
  pattern: "^[A-Za-z0-9_-]{1,32}$",
  description: "Name of the connector.",
});
export const SubjectId = Id;
export const Moment = Type.String({ description: "A time in ISO 8601." });
export const Sum = Type.Object({ currency: Type.String(), value: Type.String() });
export const Count = Type.Integer({ minimum: 0 });
export const Optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
/** A payout hold. */
export const PayoutHold = Type.Object({
  clientId: ClientId,
  heldAt: Moment,
  heldBy: Type.String(),
  reason: Type.String(),
});

export function sumOf(money: Money): { readonly currency: string; readonly value: string } {
  return { currency: money.currency, value: money.minor.toString() };
}
