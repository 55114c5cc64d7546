import type { TranslatedName } from "../core/translated-name.ts";

/** A text of the request that is stored unchanged. */
interface RequestText {
  /** The column of `payments`. */
  readonly column: string;
  /** The path of the field in the requests of `pay` and `createPaymentSession`. */
  readonly path: string;
  /** Whether a repeated request must have the same text. Otherwise the first text is kept, and the sandbox warns. */
  readonly isCompared?: true;
  /** The responses that return the text, under its name in this table; `view` is its label in the portal. */
  readonly returnedBy?: { readonly inquiry?: true; readonly view?: TranslatedName };
}

/**
 * Texts of a request that a payment stores and that no rule reads. Derived from this table: the fields of `Payment`, the columns that are
 * inserted and read, what `pay`, `createPaymentSession` and an early cancel store, the answers, and the labels of the portal.
 */
export const requestTexts = {
  notifyUrl: { column: "notify_url", path: "paymentNotifyUrl" },
  redirectUrl: { column: "redirect_url", path: "paymentRedirectUrl" },
  referenceOrderId: {
    column: "reference_order_id",
    path: "order.referenceOrderId",
    isCompared: true,
    returnedBy: { view: { english: "Your order number", chinese: "您的订单号" } },
  },
  orderDescription: {
    column: "order_description",
    path: "order.orderDescription",
    returnedBy: { view: { english: "Order description", chinese: "商品" } },
  },
  metadata: { column: "metadata", path: "metadata" },
} as const satisfies Readonly<Record<string, RequestText>>;

type Texts = typeof requestTexts;
type TextName = keyof Texts;
export type TextColumn = Texts[TextName]["column"];

/**
 * The texts of a payment. A text is undefined if it was not sent, or erased, or if the payment was cancelled before its
 * `pay` arrived.
 */
export type RequestTexts = { readonly [Name in TextName]: string | undefined };

type ResponseKind = "inquiry" | "view";

/** The texts that a response returns; without a type argument, the texts of any response. */
export type ReturnedText<By extends ResponseKind = never> = {
  [Name in TextName]: Texts[Name] extends { readonly returnedBy: { readonly [Each in By]: unknown } }
    ? Name
    : never;
}[TextName];

const textFields = Object.entries<RequestText>(requestTexts).map(([name, text]) => ({
  ...text,
  name: name as TextName,
  keys: text.path.split("."),
}));

/** The columns of the request's texts, each with a function that reads the field. */
export const textColumns = textFields.map(
  ({ column, name }) => [column as TextColumn, "text", (payment: RequestTexts) => payment[name]] as const,
);

export function textsOfRequest(request: object): RequestTexts {
  return collectTexts(({ keys }) => keys.reduce<unknown>(valueIn, request));
}

export function textsOfRow(row: { readonly [Column in TextColumn]: string | null }): RequestTexts {
  return collectTexts(({ column }) => row[column as TextColumn] ?? undefined);
}

/** `emptyTexts` are the texts of a payment without a request. */
export const emptyTexts: RequestTexts = collectTexts(() => undefined);

/** `textsToCompare` pairs each text of a repeated request with the stored text, by path, for texts that may differ. */
export function textsToCompare(
  request: object,
  stored: RequestTexts,
): Readonly<Record<string, readonly [string | undefined, string | undefined]>> {
  const repeated = textsOfRequest(request);
  const mayDiffer = textFields.filter(({ isCompared }) => !isCompared);
  return Object.fromEntries(mayDiffer.map(({ name, path }) => [path, [repeated[name], stored[name]]]));
}

const namesByResponse = {
  inquiry: textFields.filter(({ returnedBy }) => returnedBy?.inquiry).map(({ name }) => name),
  view: textFields.filter(({ returnedBy }) => returnedBy?.view).map(({ name }) => name),
};

/** `namesReturnedBy` lists the texts of a response, in the order of the table. */
export function namesReturnedBy<By extends ResponseKind>(response: By): readonly ReturnedText<By>[] {
  return namesByResponse[response] as readonly TextName[] as readonly ReturnedText<By>[];
}

/** `returnTexts` picks the texts of a response; an absent text has no field. */
export function returnTexts<By extends ResponseKind>(
  response: By,
  payment: RequestTexts,
): { readonly [Name in ReturnedText<By>]?: string } {
  const fields: Partial<Record<TextName, string>> = {};
  for (const name of namesByResponse[response]) {
    const text = payment[name];
    if (text !== undefined) fields[name] = text;
  }
  return fields;
}

function collectTexts(read: (text: (typeof textFields)[number]) => unknown): RequestTexts {
  const texts: Partial<Record<TextName, string | undefined>> = {};
  for (const text of textFields) texts[text.name] = read(text) as string | undefined;
  return texts as RequestTexts;
}

function valueIn(holder: unknown, key: string): unknown {
  return (holder as Readonly<Record<string, unknown>> | undefined)?.[key];
}
