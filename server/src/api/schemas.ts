import { Type, type TSchema, type TString } from "typebox";
import { wireTime } from "../core/request-time.ts";

/** Long and numeric by nature, such as a reference or a telephone number: not searched for card numbers. */
export function Digits<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, "x-digits": true };
}

/** Regular expressions of requests. For each of them `api/fault-words.ts` has words. */
export const forms = {
  id: "^[\\x21-\\x7E]+$",
  amount: "^[1-9][0-9]{0,15}$",
  currency: "^[A-Z]{3}$",
  time: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[+-]\\d{2}:\\d{2}$",
  url: "^[A-Za-z][A-Za-z0-9+.-]*:\\S+$",
  region: "^[A-Z]{2}$",
  regionOrGlobal: "^([A-Z]{2}|GLOBAL)$",
} as const;

/** An id that we gave, or one that the merchant chose. ASCII only: two spellings of one letter are two ids. */
export const Id = Digits(Type.String({ minLength: 1, maxLength: 64, pattern: forms.id }));

export const Amount = Type.Object(
  {
    currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
    value: Type.String({
      pattern: forms.amount,
      description: "A whole number of the currency's smallest unit.",
      "x-digits": true,
    }),
  },
  { title: "Amount", description: "Money: `1250` of `EUR` is 12.50 euro, `1250` of `JPY` is 1250 yen." },
);

export const Time = Type.String({
  pattern: forms.time,
  description: "ISO 8601 with a numeric offset.",
});

/** Free text of at most so many characters. */
export function Text(maxLength: number, description?: string): TString {
  return Type.String({ minLength: 1, maxLength, ...(description && { description }) });
}

/** Secret between the merchant and its buyer: masked in every log. */
export function Secret(maxLength: number, description?: string): TString {
  return Type.String({ minLength: 1, maxLength, ...(description && { description }), "x-secret": true });
}

/** Personal data, or possibly so: masked in the request log. */
export function Personal(maxLength: number, description?: string): TString {
  return Type.String({ minLength: 1, maxLength, ...(description && { description }), "x-personal": true });
}

/** An address of the merchant's, or a link into its app. */
export function Url(description: string): TString {
  return Type.String({
    minLength: 1,
    maxLength: 2048,
    pattern: forms.url,
    description,
    "x-address": true,
  });
}

/** An open enumeration: client libraries keep an unknown value as text. */
export function OneOf(values: readonly string[], description: string): TString {
  return Type.String({ enum: [...values], "x-open-enum": true, description });
}

export function toTime(date: Date): string {
  return wireTime(date.getTime());
}
