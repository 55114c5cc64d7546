import { Type, type TOptional, type TString } from "typebox";
import { Personal, Text } from "../contract/schemas.ts";
import { namesReturnedBy, type ReturnedText } from "./request-texts.ts";

/** Fields of both `pay` and `createPaymentSession` that are stored unchanged. */
export const requestTextFields = {
  metadata: Type.Optional(Personal(2048, "Your own data, returned in the webhook.")),
};

/** The schema of each text that a response returns. A field of the request is returned in the same form. */
const returnedForms = {
  ...requestTextFields,
  referenceOrderId: Type.Optional(Text(64, "Your own order number.")),
  orderDescription: Type.Optional(Text(256, "Your description of the order.")),
} satisfies Readonly<Record<ReturnedText, TOptional<TString>>>;

type Forms<Name extends keyof typeof returnedForms> = Pick<typeof returnedForms, Name>;

export const textsOfInquiry = formsOf(namesReturnedBy("inquiry"));
export const textsOfView = formsOf(namesReturnedBy("view"));

function formsOf<Name extends keyof typeof returnedForms>(names: readonly Name[]): Forms<Name> {
  return Object.fromEntries(names.map((name) => [name, returnedForms[name]])) as Forms<Name>;
}
