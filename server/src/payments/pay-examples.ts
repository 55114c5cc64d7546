/** Further examples of `pay`: each way to pay, with its response. */
const paymentId = "20261115093000123047601530017744120";
const amount = { currency: "EUR", value: "1250" };
const order = { referenceOrderId: "order-1001", orderDescription: "Two coffees", orderAmount: amount };
const notifyFields = { paymentNotifyUrl: "https://shop.example/notify" };
const redirectFields = { paymentRedirectUrl: "https://shop.example/thanks", ...notifyFields };
const checkoutUrl = "https://pay.example/checkout/5J5XSU.20261115093000123047601530017744120.Zk3v";

const merchant = {
  referenceMerchantId: "coffee-lab",
  merchantName: "Coffee Lab",
  merchantMCC: "5814",
  store: { referenceStoreId: "harbour", storeName: "Coffee Lab, Harbour", storeMCC: "5814" },
};
const terminalEnv = { storeTerminalId: "till-2", storeTerminalRequestTime: "2026-11-15T09:29:59+00:00" };

/** Response fields when a code or a page was issued. */
const issuedResponse = (paymentRequestId: string) => ({
  paymentRequestId,
  paymentId,
  paymentAmount: amount,
  paymentCreateTime: "2026-11-15T09:30:00+00:00",
});
const processingResponse = (paymentRequestId: string) => ({
  ...issuedResponse(paymentRequestId),
  paymentStatus: "PROCESSING",
});
const paidResponse = (paymentRequestId: string) => ({
  ...processingResponse(paymentRequestId),
  paymentStatus: "SUCCESS",
  paymentTime: "2026-11-15T09:30:01+00:00",
  actualPaymentAmount: amount,
  sequence: 2,
});

const inStoreRequest = {
  productCode: "IN_STORE_PAYMENT",
  order: { ...order, merchant, env: terminalEnv },
  paymentAmount: amount,
  paymentMethod: { paymentMethodType: "GCASH", paymentMethodId: "281012345678901234" },
  paymentFactor: { inStorePaymentScenario: "PaymentCode" },
  ...notifyFields,
};

export const payExamples = [
  {
    title: "Online, on the buyer's phone",
    code: "PAYMENT_IN_PROCESS" as const,
    request: {
      productCode: "CASHIER_PAYMENT",
      paymentRequestId: "order-1001-phone",
      order,
      paymentAmount: amount,
      paymentMethod: { paymentMethodType: "GCASH" },
      ...redirectFields,
      env: { terminalType: "WAP", osType: "ANDROID" },
    },
    response: { ...processingResponse("order-1001-phone"), normalUrl: checkoutUrl, sequence: 1 },
  },
  {
    title: "Online: authorize the money now, capture it later",
    code: "PAYMENT_IN_PROCESS" as const,
    request: {
      productCode: "CASHIER_PAYMENT",
      paymentRequestId: "order-1001-hold",
      order,
      paymentAmount: amount,
      paymentMethod: { paymentMethodType: "GCASH" },
      paymentFactor: { isAuthorization: true, captureMode: "MANUAL" },
      ...redirectFields,
      env: { terminalType: "WEB" },
    },
    response: { ...processingResponse("order-1001-hold"), normalUrl: checkoutUrl, sequence: 1 },
  },
  {
    title: "With a token: charge a buyer who gave consent earlier",
    request: {
      productCode: "AGREEMENT_PAYMENT",
      paymentRequestId: "subscription-77-november",
      order: { ...order, referenceOrderId: "subscription-77", orderDescription: "Coffee of the month" },
      paymentAmount: amount,
      paymentMethod: {
        paymentMethodType: "GCASH",
        paymentMethodId: "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt",
      },
      ...notifyFields,
    },
    response: paidResponse("subscription-77-november"),
  },
  {
    title: "In a store: the point of sale scans the buyer's code",
    request: { paymentRequestId: "till-2-0815", ...inStoreRequest },
    response: paidResponse("till-2-0815"),
  },
  {
    title: "In a store: the point of sale shows a code, and the buyer scans it",
    request: {
      ...inStoreRequest,
      paymentRequestId: "till-2-0816",
      paymentMethod: { paymentMethodType: "GCASH" },
      paymentFactor: { inStorePaymentScenario: "OrderCode" },
    },
    response: {
      ...issuedResponse("till-2-0816"),
      orderCodeForm: {
        expireTime: "2026-11-15T09:33:00+00:00",
        paymentMethodType: "GCASH",
        codeDetails: [
          {
            codeValueType: "QRCODE",
            displayType: "TEXT",
            codeValue: "https://wallet.example/c/Zk3vQ0w8tZy5cB1n",
          },
        ],
      },
      sequence: 1,
    },
  },
  {
    title: "In a store: the buyer scans a printed code",
    request: {
      ...inStoreRequest,
      paymentRequestId: "table-4-0817",
      order: { ...order, merchant, env: { userAgent: "Mozilla/5.0 (Linux; Android 16)" } },
      paymentMethod: { paymentMethodType: "GCASH" },
      paymentFactor: { inStorePaymentScenario: "EntryCode" },
      paymentRedirectUrl: "https://shop.example/table-4",
    },
    response: {
      ...issuedResponse("table-4-0817"),
      redirectActionForm: {
        method: "GET",
        redirectUrl: "https://wallet.example/pay/o7Yh2kLm9pQr4sTv",
        actionFormType: "RedirectActionForm",
      },
      sequence: 1,
    },
  },
  {
    title: "In a store: the buyer's balance is too low",
    code: "USER_BALANCE_NOT_ENOUGH" as const,
    request: { paymentRequestId: "till-2-0818", ...inStoreRequest },
    response: { ...processingResponse("till-2-0818"), paymentStatus: "FAIL", sequence: 2 },
  },
];
