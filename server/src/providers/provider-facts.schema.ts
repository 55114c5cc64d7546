import { Type, type Static, type TSchema } from "typebox";
import { evidenceTypes } from "./dispute-values.ts";
import type { ProviderFacts } from "./provider-facts.ts";

/** About 31 years; PostgreSQL's type integer can store it. */
const secondsMax = 1_000_000_000;
const Name = Type.String({ minLength: 1, maxLength: 64 });
const Seconds = Type.Integer({ minimum: 0, maximum: secondsMax });
const MethodType = Type.String({ pattern: "^[A-Z0-9_]{1,64}$" });

function ListOf<Item extends TSchema>(item: Item): ReturnType<typeof Type.Array<Item>> {
  return Type.Array(item, { maxItems: 200 });
}

/** The `facts` of a provider. Unknown fields are ignored, so that a later version may add some. */
export const FactsSchema = Type.Object({
  protocolVersion: Type.Literal("1.1"),
  name: Name,
  softwareVersion: Name,
  idempotencyWindowSeconds: Type.Optional(Seconds),
  quietSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
  enforcesNotAfter: Type.Optional(Type.Boolean()),
  holdSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: secondsMax })),
  refundWindowSeconds: Type.Optional(Seconds),
  refunds: Type.Enum(["NONE", "FULL", "ONCE", "MANY"]),
  captures: Type.Enum(["NONE", "ONE", "MANY"]),
  cancelPaid: Type.Enum(["NEVER", "DAY", "WEEK"]),
  currencies: ListOf(
    Type.Object({
      currency: Type.String({ pattern: "^[A-Z]{3}$" }),
      minorUnits: Type.Optional(Type.Integer({ minimum: 0, maximum: 8 })),
    }),
  ),
  paymentMethodTypes: ListOf(MethodType),
  queries: ListOf(Type.Enum(["order", "capture", "refund", "dispute", "registration"])),
  wants: ListOf(
    Type.Enum(["buyer", "device", "browser", "address", "goods", "locale", "descriptor", "metadata"]),
  ),
  evidenceTypes: ListOf(Type.Enum([...evidenceTypes])),
  callbacks: ListOf(Type.Enum(["order", "capture", "refund", "dispute", "authorization"])),
});

/** The facts; `never` if the schema and the type differ. */
export type CheckedFacts =
  Static<typeof FactsSchema> extends ProviderFacts
    ? keyof ProviderFacts extends keyof Static<typeof FactsSchema>
      ? ProviderFacts
      : never
    : never;
