import { Type, type Static } from "typebox";
import { Amount, Digits, forms, Id, OneOf, Personal, Text, Time, Url } from "../api/schemas.ts";
import { inStoreScenarios } from "./payment.ts";

const UserName = Type.Object(
  {
    firstName: Type.Optional(Personal(32)),
    middleName: Type.Optional(Personal(32)),
    lastName: Type.Optional(Personal(32)),
    fullName: Type.Optional(Personal(128)),
  },
  { title: "UserName" },
);

const Address = Type.Object(
  {
    region: Type.String({ pattern: forms.region, description: "ISO 3166 country code." }),
    state: Type.Optional(Text(8)),
    city: Type.Optional(Personal(32)),
    address1: Type.Optional(Personal(256)),
    address2: Type.Optional(Personal(256)),
    zipCode: Type.Optional(Personal(32)),
  },
  { title: "Address" },
);

export const Buyer = Type.Object({
  referenceBuyerId: Type.Optional(Digits(Personal(64))),
  buyerName: Type.Optional(UserName),
  buyerPhoneNo: Type.Optional(Digits(Personal(24))),
  buyerEmail: Type.Optional(Personal(64)),
  buyerRegistrationTime: Type.Optional(Personal(64)),
  isAccountVerified: Type.Optional(Type.Boolean()),
  successfulOrderCount: Type.Optional(Type.Integer()),
});

const Goods = Type.Object(
  {
    referenceGoodsId: Digits(Text(64)),
    goodsName: Text(256),
    goodsCategory: Type.Optional(Text(64)),
    goodsUnitAmount: Type.Optional(Amount),
    goodsQuantity: Type.Optional(Type.Integer({ minimum: 1 })),
    goodsUrl: Type.Optional(Personal(2048)),
    deliveryMethodType: Type.Optional(OneOf(["PHYSICAL", "DIGITAL"], "How the goods reach the buyer.")),
  },
  { title: "Goods" },
);

const Shipping = Type.Object({
  shippingName: Type.Optional(UserName),
  shippingAddress: Type.Optional(Address),
  shippingCarrier: Type.Optional(Text(128)),
  shippingPhoneNo: Type.Optional(Digits(Personal(16))),
  shipToEmail: Type.Optional(Personal(64)),
  shippingFee: Type.Optional(Amount),
});

const Store = Type.Object({
  referenceStoreId: Digits(Text(64)),
  storeName: Type.Optional(Text(256)),
  storeMCC: Type.Optional(Text(32)),
  storeDisplayName: Type.Optional(Text(64)),
  storeTerminalId: Type.Optional(Digits(Text(64))),
  storeOperatorId: Type.Optional(Digits(Text(64))),
  storeAddress: Type.Optional(Address),
  storePhoneNo: Type.Optional(Digits(Personal(24))),
});

/** Where the buyer stands. */
const StoreEnv = Type.Object(
  {
    storeTerminalId: Type.Optional(Digits(Text(64))),
    storeTerminalRequestTime: Type.Optional(Time),
    terminalType: Type.Optional(Text(32)),
    osType: Type.Optional(Text(32)),
    userAgent: Type.Optional(Personal(2048)),
  },
  { title: "StoreEnv" },
);

const Merchant = Type.Object({
  referenceMerchantId: Digits(Text(64)),
  merchantMCC: Type.Optional(Text(32)),
  merchantName: Type.Optional(Text(256)),
  merchantDisplayName: Type.Optional(Text(64)),
  merchantAddress: Type.Optional(Address),
  store: Type.Optional(Store),
});

export const Order = Type.Object(
  {
    referenceOrderId: Digits(Text(64, "The merchant's own order number; several payments may share it.")),
    orderDescription: Text(256, "Shown to the buyer."),
    orderAmount: Amount,
    merchant: Type.Optional(Merchant),
    goods: Type.Optional(Type.Array(Goods, { maxItems: 100 })),
    shipping: Type.Optional(Shipping),
    buyer: Type.Optional(Buyer),
    env: Type.Optional(StoreEnv),
    extendInfo: Type.Optional(Personal(2048)),
  },
  {
    title: "Order",
    description: "What is bought. For the buyer's eyes and for risk checks; moves no money.",
  },
);

export const Env = Type.Object(
  {
    terminalType: OneOf(
      ["WEB", "WAP", "APP", "MINI_APP"],
      "Where the buyer is: a computer, a phone's browser, an app.",
    ),
    osType: Type.Optional(OneOf(["IOS", "ANDROID"], "Needed on a phone.")),
    osVersion: Type.Optional(Text(64)),
    userAgent: Type.Optional(Personal(2048)),
    clientIp: Type.Optional(Personal(64)),
    deviceTokenId: Type.Optional(Digits(Personal(64))),
    deviceBrand: Type.Optional(Text(64)),
    deviceModel: Type.Optional(Text(128)),
    colorDepth: Type.Optional(Type.Integer()),
    screenHeight: Type.Optional(Type.Integer({ minimum: 1 })),
    screenWidth: Type.Optional(Type.Integer({ minimum: 1 })),
    timeZoneOffset: Type.Optional(Type.Integer({ minimum: -720, maximum: 720 })),
    extendInfo: Type.Optional(Personal(2048)),
  },
  { title: "Env" },
);

export const PaymentMethod = Type.Object(
  {
    paymentMethodType: Text(64, "The wallet or method, for example GCASH."),
    paymentMethodId: Type.Optional(Digits(Type.String({ maxLength: 2048, "x-secret": true }))),
    extendInfo: Type.Optional(Personal(2048)),
  },
  { title: "PaymentMethod" },
);

export const PaymentFactor = Type.Object({
  isAuthorization: Type.Optional(Type.Boolean()),
  captureMode: Type.Optional(OneOf(["AUTOMATIC", "MANUAL"], "Whether the money is taken at once.")),
  inStorePaymentScenario: Type.Optional(OneOf(inStoreScenarios, "How the store is paid.")),
});

export const SettlementStrategy = Type.Object({
  settlementCurrency: Type.Optional(Type.String({ pattern: forms.currency })),
});

export const Region = Type.String({ pattern: forms.region });

/** The request of `pay`, field by field. Rules between fields are in pay.ts. */
export const PayRequest = Type.Object({
  productCode: OneOf(["CASHIER_PAYMENT", "AGREEMENT_PAYMENT", "IN_STORE_PAYMENT"], "The kind of payment."),
  paymentRequestId: Id,
  order: Order,
  paymentAmount: Amount,
  paymentMethod: PaymentMethod,
  paymentRedirectUrl: Type.Optional(Url("Where the buyer returns to.")),
  paymentNotifyUrl: Type.Optional(Url("Where we report how it ended.")),
  paymentExpiryTime: Type.Optional(Time),
  paymentFactor: Type.Optional(PaymentFactor),
  settlementStrategy: Type.Optional(SettlementStrategy),
  env: Type.Optional(Env),
  userRegion: Type.Optional(Region),
  merchantRegion: Type.Optional(Region),
  appId: Type.Optional(Digits(Text(32))),
  merchantAccountId: Type.Optional(Digits(Text(32))),
  metadata: Type.Optional(Personal(2048, "The merchant's own words; comes back in the notification.")),
});

export type PayRequest = Static<typeof PayRequest>;
