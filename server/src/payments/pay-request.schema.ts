import { Type, type Static } from "typebox";
import {
  Amount,
  described,
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
} from "../api/schemas.ts";
import type { CaptureMode, InStoreScenario, ProductCode } from "./payment.ts";

const UserName = Type.Object(
  {
    firstName: Type.Optional(Personal(32, "The given name.")),
    middleName: Type.Optional(Personal(32, "The name between, where there is one.")),
    lastName: Type.Optional(Personal(32, "The family name.")),
    fullName: Type.Optional(Personal(128, "The whole name, as the person writes it.")),
  },
  { title: "UserName", description: "A person's name." },
);

const Address = Type.Object(
  {
    region: Region("The country."),
    state: Type.Optional(Text(8, "The state or province, in its short form.")),
    city: Type.Optional(Personal(32, "The city or town.")),
    address1: Type.Optional(Personal(256, "Street and number.")),
    address2: Type.Optional(Personal(256, "What comes after the street: floor, flat, building.")),
    zipCode: Type.Optional(Personal(32, "The postal code.")),
  },
  { title: "Address", description: "A postal address." },
);

export const Buyer = Type.Object(
  {
    referenceBuyerId: Type.Optional(Digits(Personal(64, "The buyer's number in your system."))),
    buyerName: Type.Optional(described(UserName, "The buyer's name.")),
    buyerPhoneNo: Type.Optional(Digits(Personal(24, "The buyer's telephone number."))),
    buyerEmail: Type.Optional(Personal(64, "The buyer's email address.")),
    buyerRegistrationTime: Type.Optional(
      Personal(64, "Since when the buyer has an account with you; ISO 8601."),
    ),
    isAccountVerified: Type.Optional(
      Type.Boolean({ description: "Whether you have checked the buyer's email or telephone number." }),
    ),
    successfulOrderCount: Type.Optional(
      Type.Integer({ description: "How many orders of the buyer you have fulfilled." }),
    ),
  },
  { description: "Who buys." },
);

const Goods = Type.Object(
  {
    referenceGoodsId: Digits(Text(64, "Your own article number.")),
    goodsName: Text(256, "What it is called in your shop."),
    goodsCategory: Type.Optional(Text(64, "Its category, with slashes between the levels.")),
    goodsUnitAmount: Type.Optional(described(Amount, "The price of one.")),
    goodsQuantity: Type.Optional(Type.Integer({ minimum: 1, description: "How many." })),
    goodsUrl: Type.Optional(Personal(2048, "Its page in your shop.")),
    deliveryMethodType: Type.Optional(
      OneOf(
        { PHYSICAL: "They are sent or handed over.", DIGITAL: "They are downloaded or sent by email." },
        "How the goods reach the buyer.",
      ),
    ),
  },
  { title: "Goods", description: "One article of the order." },
);

const Shipping = Type.Object(
  {
    shippingName: Type.Optional(described(UserName, "To whom it goes.")),
    shippingAddress: Type.Optional(described(Address, "Where it goes.")),
    shippingCarrier: Type.Optional(Text(128, "The company that carries it.")),
    shippingPhoneNo: Type.Optional(Digits(Personal(16, "The receiver's telephone number."))),
    shipToEmail: Type.Optional(Personal(64, "Where digital goods go.")),
    shippingFee: Type.Optional(described(Amount, "What you charge for sending it.")),
  },
  { description: "How the goods reach the buyer." },
);

const Store = Type.Object(
  {
    referenceStoreId: Digits(Text(64, "Your own name for the store.")),
    storeName: Type.Optional(Text(256, "What the store is called.")),
    storeMCC: Type.Optional(Text(32, "The store's merchant category code, four digits.")),
    storeDisplayName: Type.Optional(Text(64, "The store's name as buyers see it.")),
    storeTerminalId: Type.Optional(Digits(Text(64, "Your own name for the till."))),
    storeOperatorId: Type.Optional(Digits(Text(64, "Your own name for the cashier."))),
    storeAddress: Type.Optional(described(Address, "Where the store is.")),
    storePhoneNo: Type.Optional(Digits(Personal(24, "The store's telephone number."))),
  },
  { description: "The store in which it is paid." },
);

/** Where the buyer stands. */
const StoreEnv = Type.Object(
  {
    storeTerminalId: Type.Optional(Digits(Text(64, "Your own name for the till."))),
    storeTerminalRequestTime: Type.Optional(
      described(Time, "When the till asked for the payment; ISO 8601 with an offset."),
    ),
    terminalType: Type.Optional(Text(32, "What the buyer uses, as in `env`.")),
    osType: Type.Optional(Text(32, "The system of the buyer's phone, as in `env`.")),
    userAgent: Type.Optional(Personal(2048, "The header `User-Agent` of the buyer's browser.")),
  },
  { title: "StoreEnv", description: "Where the buyer stands in the store, and with what." },
);

const Merchant = Type.Object(
  {
    referenceMerchantId: Digits(Text(64, "Your own name for the merchant.")),
    merchantMCC: Type.Optional(Text(32, "The merchant category code, four digits: 5814 is fast food.")),
    merchantName: Type.Optional(Text(256, "What the merchant is called.")),
    merchantDisplayName: Type.Optional(Text(64, "The merchant's name as buyers see it.")),
    merchantAddress: Type.Optional(described(Address, "Where the merchant is.")),
    store: Type.Optional(Store),
  },
  { description: "Who sells." },
);

export const Order = Type.Object(
  {
    referenceOrderId: Digits(Text(64, "The merchant's own order number; several payments may share it.")),
    orderDescription: Text(256, "Shown to the buyer."),
    orderAmount: described(Amount, "What the whole order costs."),
    merchant: Type.Optional(Merchant),
    goods: Type.Optional(Type.Array(Goods, { maxItems: 100, description: "The articles, one by one." })),
    shipping: Type.Optional(Shipping),
    buyer: Type.Optional(Buyer),
    env: Type.Optional(StoreEnv),
    extendInfo: Type.Optional(ExtendInfo),
  },
  {
    title: "Order",
    description: "What is bought. For the buyer's eyes and for risk checks; moves no money.",
  },
);

export const Env = Type.Object(
  {
    terminalType: OneOf(terminalTypes, "Where the buyer is: a computer, a phone's browser, an app."),
    osType: Type.Optional(OneOf(osTypes, "The system of the phone.")),
    osVersion: Type.Optional(Text(64, "The version of that system.")),
    userAgent: Type.Optional(Personal(2048, "The header `User-Agent` of the buyer's browser.")),
    clientIp: Type.Optional(Personal(64, "The internet address from which the buyer comes.")),
    deviceTokenId: Type.Optional(Digits(Personal(64, "What a fingerprinting script calls the device."))),
    deviceBrand: Type.Optional(Text(64, "The maker of the device.")),
    deviceModel: Type.Optional(Text(128, "The model of the device.")),
    colorDepth: Type.Optional(Type.Integer({ description: "Bits of colour of the screen, such as 24." })),
    screenHeight: Type.Optional(Type.Integer({ minimum: 1, description: "The screen's height in pixels." })),
    screenWidth: Type.Optional(Type.Integer({ minimum: 1, description: "The screen's width in pixels." })),
    timeZoneOffset: Type.Optional(
      Type.Integer({
        minimum: -720,
        maximum: 720,
        description: "Minutes between the buyer's clock and UTC.",
      }),
    ),
    extendInfo: Type.Optional(ExtendInfo),
  },
  { title: "Env", description: "The device with which the buyer pays." },
);

export const PaymentMethod = Type.Object(
  {
    paymentMethodType: Text(64, "The wallet or method, for example GCASH."),
    paymentMethodId: Type.Optional(
      Digits(
        Type.String({
          maxLength: 2048,
          description: "What stands for the buyer: the access token, or the code that the till has scanned.",
          "x-secret": true,
        }),
      ),
    ),
    extendInfo: Type.Optional(ExtendInfo),
  },
  { title: "PaymentMethod", description: "With what is paid." },
);

const captureModes: Meanings<CaptureMode> = {
  AUTOMATIC: "The money is taken as soon as the buyer agrees.",
  MANUAL: "The money is held until you capture it.",
};

const scenarios: Meanings<InStoreScenario> = {
  PaymentCode: "The buyer shows a code in the wallet's app, and the till scans it.",
  OrderCode: "The till shows a code for this order, and the buyer scans it.",
  EntryCode: "The buyer scans a printed code, and pays on the page behind it.",
};

export const PaymentFactor = Type.Object(
  {
    isAuthorization: Type.Optional(
      Type.Boolean({ description: "True to hold the money first; goes with `captureMode` `MANUAL`." }),
    ),
    captureMode: Type.Optional(OneOf(captureModes, "Whether the money is taken at once.")),
    inStorePaymentScenario: Type.Optional(OneOf(scenarios, "How the store is paid.")),
  },
  { description: "How it is paid: held first or taken at once, and in which way in a store." },
);

export const SettlementStrategy = Type.Object(
  {
    settlementCurrency: Type.Optional(
      Type.String({ pattern: forms.currency, description: "The currency in which you want the money." }),
    ),
  },
  { description: "How the money reaches you." },
);

export const productCodes: Meanings<ProductCode> = {
  CASHIER_PAYMENT: "Online: the buyer is sent to a page and agrees there.",
  AGREEMENT_PAYMENT: "With an access token: the buyer has agreed before.",
  IN_STORE_PAYMENT: "At the till of a store.",
};

export const MerchantRegion = Region("Where the merchant does business.");
export const MerchantAccountId = Digits(
  Text(32, "Which of your accounts, if one client id stands for several."),
);

/** The request of `pay`, field by field. Rules between fields are in pay.ts. */
export const PayRequest = Type.Object({
  productCode: OneOf(productCodes, "The kind of payment."),
  paymentRequestId: PaymentRequestId,
  order: Order,
  paymentAmount: described(Amount, "What the buyer pays now."),
  paymentMethod: PaymentMethod,
  paymentRedirectUrl: Type.Optional(Url("Where the buyer returns to.")),
  paymentNotifyUrl: Type.Optional(Url("Where we report how it ended.")),
  paymentExpiryTime: Type.Optional(
    described(
      Time,
      "Until when it can be paid, ISO 8601 with an offset; at most 48 hours. Otherwise 14 minutes online, 10 for a payment " +
        "code, 3 for an order or entry code, 1 with a token.",
    ),
  ),
  paymentFactor: Type.Optional(PaymentFactor),
  settlementStrategy: Type.Optional(SettlementStrategy),
  env: Type.Optional(Env),
  userRegion: Type.Optional(Region("Where the buyer is.")),
  merchantRegion: Type.Optional(MerchantRegion),
  appId: Type.Optional(Digits(Text(32, "The wallet's name for your mini program."))),
  merchantAccountId: Type.Optional(MerchantAccountId),
  metadata: Type.Optional(Personal(2048, "The merchant's own words; comes back in the notification.")),
});

export type PayRequest = Static<typeof PayRequest>;
