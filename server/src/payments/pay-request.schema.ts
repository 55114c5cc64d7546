import { Type, type Static } from "typebox";
import {
  Amount,
  withDescription,
  Digits,
  ExtendInfo,
  forms,
  OneOf,
  osTypes,
  PaymentRequestId,
  Personal,
  Region,
  terminalTypes,
  Text,
  Time,
  Url,
  type Meanings,
} from "../contract/schemas.ts";
import type { CaptureMode, InStoreScenario, ProductCode } from "./payment.ts";
import { requestTextFields } from "./request-texts.schema.ts";

const UserName = Type.Object(
  {
    firstName: Type.Optional(Personal(32, "The given name.")),
    middleName: Type.Optional(Personal(32, "The middle name, if the person has one.")),
    lastName: Type.Optional(Personal(32, "The family name.")),
    fullName: Type.Optional(Personal(128, "The full name, as the person writes it.")),
  },
  { title: "UserName", description: "A person's name." },
);

const Address = Type.Object(
  {
    region: Region("The country."),
    state: Type.Optional(Text(8, "The state or province, in its short form.")),
    city: Type.Optional(Personal(32, "The city or town.")),
    address1: Type.Optional(Personal(256, "Street and number.")),
    address2: Type.Optional(Personal(256, "The second address line: floor, flat, building.")),
    zipCode: Type.Optional(Personal(32, "The postal code.")),
  },
  { title: "Address", description: "A postal address." },
);

export const Buyer = Type.Object(
  {
    referenceBuyerId: Type.Optional(Digits(Personal(64, "The buyer's number in your system."))),
    buyerName: Type.Optional(withDescription(UserName, "The buyer's name.")),
    buyerPhoneNo: Type.Optional(Digits(Personal(24, "The buyer's telephone number."))),
    buyerEmail: Type.Optional(Personal(64, "The buyer's email address.")),
    buyerRegistrationTime: Type.Optional(
      Personal(64, "When the buyer's account with you was created; ISO 8601."),
    ),
    isAccountVerified: Type.Optional(
      Type.Boolean({
        description: "Whether you have verified the buyer's email address or telephone number.",
      }),
    ),
    successfulOrderCount: Type.Optional(
      Type.Integer({ description: "Number of earlier orders of the buyer that you fulfilled." }),
    ),
  },
  { description: "The buyer." },
);

const Goods = Type.Object(
  {
    referenceGoodsId: Digits(Text(64, "Your own article number.")),
    goodsName: Text(256, "The name of the article in your shop."),
    goodsCategory: Type.Optional(Text(64, "The category of the article, with slashes between the levels.")),
    goodsUnitAmount: Type.Optional(withDescription(Amount, "The price of one piece.")),
    goodsQuantity: Type.Optional(Type.Integer({ minimum: 1, description: "The number of pieces." })),
    goodsUrl: Type.Optional(Personal(2048, "The page of the article in your shop.")),
    deliveryMethodType: Type.Optional(
      OneOf(
        {
          PHYSICAL: "The goods are shipped or handed over.",
          DIGITAL: "The goods are downloaded or sent by email.",
        },
        "How the goods reach the buyer.",
      ),
    ),
  },
  { title: "Goods", description: "One article of the order." },
);

const Shipping = Type.Object(
  {
    shippingName: Type.Optional(withDescription(UserName, "The name of the recipient.")),
    shippingAddress: Type.Optional(withDescription(Address, "The address of the recipient.")),
    shippingCarrier: Type.Optional(Text(128, "The shipping company.")),
    shippingPhoneNo: Type.Optional(Digits(Personal(16, "The telephone number of the recipient."))),
    shipToEmail: Type.Optional(Personal(64, "The email address to which digital goods are sent.")),
    shippingFee: Type.Optional(withDescription(Amount, "The shipping fee.")),
  },
  { description: "How the goods reach the buyer." },
);

const Store = Type.Object(
  {
    referenceStoreId: Digits(Text(64, "Your own id of the store.")),
    storeName: Type.Optional(Text(256, "The name of the store.")),
    storeMCC: Type.Optional(Text(32, "The store's merchant category code, four digits.")),
    storeDisplayName: Type.Optional(Text(64, "The store's name as buyers see it.")),
    storeTerminalId: Type.Optional(Digits(Text(64, "Your own id of the point of sale (POS) device."))),
    storeOperatorId: Type.Optional(Digits(Text(64, "Your own id of the cashier."))),
    storeAddress: Type.Optional(withDescription(Address, "The address of the store.")),
    storePhoneNo: Type.Optional(Digits(Personal(24, "The store's telephone number."))),
  },
  { description: "The store in which the buyer pays." },
);

/** The devices of an in-store payment: the point of sale and the buyer's phone. */
const StoreEnv = Type.Object(
  {
    storeTerminalId: Type.Optional(Digits(Text(64, "Your own id of the point of sale (POS) device."))),
    storeTerminalRequestTime: Type.Optional(
      withDescription(Time, "When the point of sale requested the payment; ISO 8601 with an offset."),
    ),
    terminalType: Type.Optional(Text(32, "The kind of the buyer's device, as in `env`.")),
    osType: Type.Optional(Text(32, "The operating system of the buyer's phone, as in `env`.")),
    userAgent: Type.Optional(Personal(2048, "The header `User-Agent` of the buyer's browser.")),
  },
  { title: "StoreEnv", description: "The point of sale and the buyer's device in the store." },
);

const Merchant = Type.Object(
  {
    referenceMerchantId: Digits(Text(64, "Your own id of the merchant.")),
    merchantMCC: Type.Optional(Text(32, "The merchant category code, four digits: 5814 is fast food.")),
    merchantName: Type.Optional(Text(256, "The name of the merchant.")),
    merchantDisplayName: Type.Optional(Text(64, "The merchant's name as buyers see it.")),
    merchantAddress: Type.Optional(withDescription(Address, "The address of the merchant.")),
    store: Type.Optional(Store),
  },
  { description: "The seller." },
);

export const Order = Type.Object(
  {
    referenceOrderId: Digits(Text(64, "The merchant's own order number; several payments may share it.")),
    orderDescription: Text(256, "A description of the order, shown to the buyer."),
    orderAmount: withDescription(Amount, "The amount of the whole order."),
    merchant: Type.Optional(Merchant),
    goods: Type.Optional(Type.Array(Goods, { maxItems: 100, description: "The articles of the order." })),
    shipping: Type.Optional(Shipping),
    buyer: Type.Optional(Buyer),
    env: Type.Optional(StoreEnv),
    extendInfo: Type.Optional(ExtendInfo),
  },
  {
    title: "Order",
    description: "The purchased order. It is shown to the buyer and used for risk checks; it moves no money.",
  },
);

export const Env = Type.Object(
  {
    terminalType: OneOf(
      terminalTypes,
      "The kind of the buyer's device: a computer, a phone's browser, an app.",
    ),
    osType: Type.Optional(OneOf(osTypes, "The operating system of the phone.")),
    osVersion: Type.Optional(Text(64, "The version of the operating system.")),
    userAgent: Type.Optional(Personal(2048, "The header `User-Agent` of the buyer's browser.")),
    clientIp: Type.Optional(Personal(64, "The buyer's IP address.")),
    deviceTokenId: Type.Optional(
      Digits(Personal(64, "The device id that a fingerprinting script returned.")),
    ),
    deviceBrand: Type.Optional(Text(64, "The maker of the device.")),
    deviceModel: Type.Optional(Text(128, "The model of the device.")),
    colorDepth: Type.Optional(
      Type.Integer({ description: "Colour depth of the screen in bits, such as 24." }),
    ),
    screenHeight: Type.Optional(Type.Integer({ minimum: 1, description: "The screen's height in pixels." })),
    screenWidth: Type.Optional(Type.Integer({ minimum: 1, description: "The screen's width in pixels." })),
    timeZoneOffset: Type.Optional(
      Type.Integer({
        minimum: -720,
        maximum: 720,
        description: "Minutes between the buyer's local time and UTC.",
      }),
    ),
    extendInfo: Type.Optional(ExtendInfo),
  },
  { title: "Env", description: "The device with which the buyer pays." },
);

export const PaymentMethod = Type.Object(
  {
    paymentMethodType: Text(64, "The payment method, for example GCASH."),
    paymentMethodId: Type.Optional(
      Digits(
        Type.String({
          maxLength: 2048,
          description:
            "Identifies the buyer: the access token, or the payment code that the point of sale scanned.",
          "x-secret": true,
        }),
      ),
    ),
    extendInfo: Type.Optional(ExtendInfo),
  },
  { title: "PaymentMethod", description: "The payment method with which the buyer pays." },
);

const captureModes: Meanings<CaptureMode> = {
  AUTOMATIC: "The money is collected as soon as the buyer agrees.",
  MANUAL: "The money is only authorized until you capture it.",
};

const scenarios: Meanings<InStoreScenario> = {
  PaymentCode: "The buyer shows a code in the wallet app, and the point of sale scans it.",
  OrderCode: "The point of sale shows a code for this order, and the buyer scans it.",
  EntryCode: "The buyer scans a printed code, and pays on the page that it opens.",
};

export const PaymentFactor = Type.Object(
  {
    isAuthorization: Type.Optional(
      Type.Boolean({ description: "True to authorize the money first; requires `captureMode` `MANUAL`." }),
    ),
    captureMode: Type.Optional(
      OneOf(captureModes, "Whether the money is collected immediately or captured later."),
    ),
    inStorePaymentScenario: Type.Optional(OneOf(scenarios, "The way of payment in a store.")),
  },
  {
    description:
      "Whether the money is collected immediately or captured later, and the way of payment in a store.",
  },
);

export const SettlementStrategy = Type.Object(
  {
    settlementCurrency: Type.Optional(
      Type.String({ pattern: forms.currency, description: "The currency in which you want to be paid out." }),
    ),
  },
  { description: "The settlement of the money to you." },
);

export const productCodes: Meanings<ProductCode> = {
  CASHIER_PAYMENT: "Online: the buyer is sent to a page and agrees there.",
  AGREEMENT_PAYMENT: "With an access token: the buyer gave the consent earlier.",
  IN_STORE_PAYMENT: "At the point of sale of a store.",
};

export const MerchantRegion = Region("The region in which the merchant does business.");
export const MerchantAccountId = Digits(
  Text(32, "The account of yours, if one client id is used for several accounts."),
);

/** The request schema of `pay`. The rules that involve several fields are in pay.ts. */
export const PayRequest = Type.Object({
  productCode: OneOf(productCodes, "The kind of payment."),
  paymentRequestId: PaymentRequestId,
  order: Order,
  paymentAmount: withDescription(Amount, "The amount that the buyer pays now."),
  paymentMethod: PaymentMethod,
  paymentRedirectUrl: Type.Optional(Url("The page to which the buyer returns after the payment.")),
  paymentNotifyUrl: Type.Optional(Url("The URL that receives the webhook with the result of the payment.")),
  paymentExpiryTime: Type.Optional(
    withDescription(
      Time,
      "Until when the buyer can pay, ISO 8601 with an offset; at most 48 hours. Default: 14 minutes " +
        "online, 10 for a payment code, 3 for an order or entry code, 1 with a token.",
    ),
  ),
  paymentFactor: Type.Optional(PaymentFactor),
  settlementStrategy: Type.Optional(SettlementStrategy),
  env: Type.Optional(Env),
  userRegion: Type.Optional(Region("The buyer's region.")),
  merchantRegion: Type.Optional(MerchantRegion),
  appId: Type.Optional(Digits(Text(32, "The payment provider's id of your mini program."))),
  merchantAccountId: Type.Optional(MerchantAccountId),
  ...requestTextFields,
});

export type PayRequest = Static<typeof PayRequest>;
