import { Type, type TSchema, type TString } from "typebox";
import { formatWireTime } from "../core/request-time.ts";

/**
 * Marks a schema as long and numeric by nature, such as a reference or a telephone number. The search for card numbers
 * skips such fields.
 */
export function Digits<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, "x-digits": true };
}

/** Regular expressions of requests. `contract/error-messages.ts` has a description of each. */
export const forms = {
  id: "^[\\x21-\\x7E]+$",
  amount: "^[1-9][0-9]{0,15}$",
  currency: "^[A-Z]{3}$",
  time: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[+-]\\d{2}:\\d{2}$",
  day: "^\\d{4}-\\d{2}-\\d{2}$",
  url: "^[A-Za-z][A-Za-z0-9+.-]*:\\S+$",
  region: "^[A-Z]{2}$",
  regionOrGlobal: "^([A-Z]{2}|GLOBAL)$",
  colour: "^#[0-9a-fA-F]{6}$",
  base64: "^[A-Za-z0-9+/]*={0,2}$",
} as const;

/**
 * An id chosen by the gateway or by the merchant. ASCII only, because two Unicode spellings of one letter would be two
 * ids.
 */
export const Id = Digits(Type.String({ minLength: 1, maxLength: 64, pattern: forms.id }));

/** The same schema with a description of the field. A named type keeps its name, because client libraries use it. */
export function withDescription<Schema extends TSchema>(schema: Schema, description: string): Schema {
  const { title, description: about } = schema as { readonly title?: string; readonly description?: string };
  return { ...schema, description, ...(title !== undefined && about !== undefined && { "x-about": about }) };
}

export const PaymentId = withDescription(Id, "The gateway's id of the payment.");
export const PaymentRequestId = withDescription(
  Id,
  "Your own id of the payment; it is never used for another payment.",
);
export const CaptureId = withDescription(Id, "The gateway's id of the capture.");
export const CaptureRequestId = withDescription(
  Id,
  "Your own id of the capture; it is never used for another capture.",
);
export const RefundId = withDescription(Id, "The gateway's id of the refund.");
export const RefundRequestId = withDescription(
  Id,
  "Your own id of the refund; it is never used for another refund.",
);
export const DisputeId = withDescription(Id, "The gateway's id of the dispute.");
export const NotificationId = withDescription(Id, "The gateway's id of the notification.");

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

/** Free text with a maximum length. */
export function Text(maxLength: number, description?: string): TString {
  return Type.String({ minLength: 1, maxLength, ...(description && { description }) });
}

/** The schema of a secret between the merchant and its buyer: masked in every log. */
export function Secret(maxLength: number, description?: string): TString {
  return Type.String({ minLength: 1, maxLength, ...(description && { description }), "x-secret": true });
}

/** The schema of personal data, or possibly personal data: masked in the request log. */
export function Personal(maxLength: number, description?: string): TString {
  return Type.String({ minLength: 1, maxLength, ...(description && { description }), "x-personal": true });
}

/** An address of the merchant, or a link into its app. */
export function Url(description: string): TString {
  return Type.String({
    minLength: 1,
    maxLength: 2048,
    pattern: forms.url,
    description,
    "x-address": true,
  });
}

/** The values of an enumeration with their meanings. */
export type Meanings<Value extends string = string> = Readonly<Record<Value, string>>;

/** An open enumeration: client libraries keep an unknown value as text. */
export function OneOf(meanings: Meanings, description: string): TString {
  return Type.String({
    enum: Object.keys(meanings),
    "x-open-enum": true,
    "x-enumDescriptions": meanings,
    description,
  });
}

/** A two-letter country code. */
export function Region(description: string): TString {
  return Type.String({ pattern: forms.region, description: `${description} ISO 3166, two letters.` });
}

/** The device with which the buyer pays. */
export const terminalTypes: Meanings = {
  WEB: "A browser on a computer.",
  WAP: "A browser on a phone.",
  APP: "Your app on a phone.",
  MINI_APP: "A mini program inside a wallet app.",
};

export const osTypes: Meanings = { IOS: "An iPhone or iPad.", ANDROID: "A phone with Android." };

export const ExtendInfo = Personal(2048, "More, as JSON in a string. The gateway does not read it.");

export function toTime(date: Date): string {
  return formatWireTime(date.getTime());
}
