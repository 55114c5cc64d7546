import { Type, type TOptional, type TString } from "typebox";
import { Personal, Text } from "../contract/schemas.ts";
import { namesReturnedBy, type ReturnedText } from "./request-texts.ts";

/** Fields of both `pay` and `createPaymentSession` that are stored unchanged. */
export const requestTextFields = {
  metadata: Type.Optional(Personal(2048, "Your own data, returned in the webhook.")),
};

/** The schema of each text that a response returns. A field of the request is returned in the same form. */
const returnedTextSchemas = {
  ...requestTextFields,
  referenceOrderId: Type.Optional(Text(64, "Your own order number.")),
  orderDescription: Type.Optional(Text(256, "Your description of the order.")),
} satisfies Readonly<Record<ReturnedText, TOptional<TString>>>;

type TextSchemas<Name extends keyof typeof returnedTextSchemas> = Pick<typeof returnedTextSchemas, Name>;

export const inquiryTextSchemas = schemasOf(namesReturnedBy("inquiry"));
export const viewTextSchemas = schemasOf(namesReturnedBy("view"));

function schemasOf<Name extends keyof typeof returnedTextSchemas>(names: readonly Name[]): TextSchemas<Name> {
  return Object.fromEntries(names.map((name) => [name, returnedTextSchemas[name]])) as TextSchemas<Name>;
}
