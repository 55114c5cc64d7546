import type { Amount, PayRequest } from "../../clients/typescript/src/generated/package.ts";

/** The shop as providers show it to buyers, and this terminal. */
export interface Shop {
  readonly merchantId: string;
  readonly merchantName: string;
  /** Merchant category code (MCC). */
  readonly category: string;
  readonly storeId: string;
  readonly storeName: string;
  readonly tillId: string;
  /** The payment method of codes on the screen; a code that the buyer shows determines its own method. */
  readonly method: string;
  readonly payWithinMs: number;
  /** Address for webhooks. */
  readonly notifyUrl: string;
}

export const coffeeLab = {
  merchantId: "coffee-lab",
  merchantName: "Coffee Lab",
  category: "5814",
  storeId: "harbour",
  storeName: "Coffee Lab, Harbour",
  tillId: "till-1",
} as const;

interface SaleRequest {
  readonly id: string;
  readonly amount: Amount;
}

/** A `pay` request with the code that the buyer shows. */
export function codeRequest(
  shop: Shop,
  { id, amount, code }: SaleRequest & { readonly code: string },
): PayRequest {
  const env = { storeTerminalId: shop.tillId, storeTerminalRequestTime: formatTime(Date.now()) };
  return {
    ...commonRequest(shop, { id, amount }, "PaymentCode", env),
    paymentMethod: { paymentMethodType: "CONNECT_WALLET", paymentMethodId: code },
  };
}

/** A `pay` request for a code on our screen. */
export function orderRequest(shop: Shop, sale: SaleRequest): PayRequest {
  return requestWithExpiry(shop, commonRequest(shop, sale, "OrderCode", { storeTerminalId: shop.tillId }));
}

interface Visitor {
  readonly userAgent: string;
  readonly thanksUrl: string;
}

/** A `pay` request from the page behind a sticker. */
export function entryRequest(
  shop: Shop,
  { userAgent, thanksUrl, ...sale }: SaleRequest & Visitor,
): PayRequest {
  const request = commonRequest(shop, sale, "EntryCode", { userAgent });
  return { ...requestWithExpiry(shop, request), paymentRedirectUrl: thanksUrl };
}

function requestWithExpiry(
  { method, payWithinMs }: Shop,
  request: Omit<PayRequest, "paymentMethod">,
): PayRequest {
  return {
    ...request,
    paymentMethod: { paymentMethodType: method },
    paymentExpiryTime: formatTime(Date.now() + payWithinMs),
  };
}

function commonRequest(
  shop: Shop,
  { id, amount }: SaleRequest,
  inStorePaymentScenario: "PaymentCode" | "OrderCode" | "EntryCode",
  env: NonNullable<PayRequest["order"]["env"]>,
): Omit<PayRequest, "paymentMethod"> {
  const { merchantId, merchantName, category, storeId, storeName } = shop;
  return {
    productCode: "IN_STORE_PAYMENT",
    paymentRequestId: id,
    paymentFactor: { inStorePaymentScenario },
    order: {
      referenceOrderId: id,
      orderDescription: "Coffee and cake",
      orderAmount: amount,
      merchant: {
        referenceMerchantId: merchantId,
        merchantName,
        merchantMCC: category,
        store: { referenceStoreId: storeId, storeName, storeMCC: category },
      },
      env,
    },
    paymentAmount: amount,
    paymentNotifyUrl: shop.notifyUrl,
  };
}

/** Formats a time as ISO 8601 with an offset, in whole seconds. */
function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "+00:00");
}
