import { ensure, NotObservable, requiredCase, type CaseGroup } from "../conformance-case.ts";
import { requireFacts } from "./facts-cases.ts";
import {
  buildSubmitRequest,
  call,
  readOrder,
  requireSuccess,
  submitOrder,
  type Fields,
  type ProviderContext,
} from "./provider-context.ts";

type DataGroup = Awaited<ReturnType<typeof requireFacts>>["wants"][number];

const article = { referenceGoodsId: "A-1", goodsName: "Coffee beans", goodsQuantity: 2 };
const unitAmount = { currency: "EUR", value: "625" };

/** Data about a fictitious buyer, with every field of every group. */
const orderData: { readonly [Group in DataGroup]: Fields } = {
  buyer: {
    referenceBuyerId: "buyer-1",
    buyerName: { firstName: "Conform", lastName: "Buyer", fullName: "Conform Buyer" },
    buyerPhoneNo: "+490000000001",
    buyerEmail: "buyer@conform.example",
    buyerRegistrationTime: "2026-01-15T09:30:00+00:00",
    isAccountVerified: true,
    successfulOrderCount: 3,
  },
  device: {
    terminalType: "WEB",
    osType: "ANDROID",
    osVersion: "16",
    deviceTokenId: "device-1",
    deviceBrand: "Conform",
    deviceModel: "One",
    clientIp: "192.0.2.1",
  },
  browser: {
    userAgent: "Conform/1.0",
    colorDepth: 24,
    screenHeight: 1080,
    screenWidth: 1920,
    timeZoneOffset: -60,
  },
  address: {
    shippingName: { fullName: "Conform Buyer" },
    shippingAddress: {
      region: "DE",
      state: "BE",
      city: "Berlin",
      address1: "Teststraße 1",
      zipCode: "10115",
    },
    shippingCarrier: "Conform Post",
    shippingPhoneNo: "+490000000001",
    shipToEmail: "buyer@conform.example",
    shippingFee: { currency: "EUR", value: "0" },
  },
  goods: { goods: [article], orderAmount: { currency: "EUR", value: "1250" } },
  locale: { locale: "pt_BR", userRegion: "BR" },
  descriptor: { merchantDisplayName: "Coffee Lab" },
  metadata: { metadata: '{"table":"4"}' },
};

/** A list of articles of about the 16 KiB that the gateway sends at most. */
const manyArticles = Array.from({ length: 90 }, (_, index) => ({
  ...article,
  referenceGoodsId: `A-${index}`,
  goodsUnitAmount: unitAmount,
  goodsUrl: `https://shop.example/articles/${index}`,
  deliveryMethodType: "PHYSICAL",
}));

export const orderDataCases: CaseGroup<ProviderContext> = {
  name: "Data of orders",
  cases: [
    requiredCase(
      "submit-data",
      "a submit with all data that the facts want opens an order",
      "Accept each field of the groups in wants, up to the limits of the protocol. Name no group in wants that you do not accept.",
      async (context) => {
        const data = await wantedData(context, {
          ...orderData,
          goods: { ...orderData.goods, goods: manyArticles },
        });
        await submitOrder(context, { data });
      },
    ),
    requiredCase(
      "submit-data-partial",
      "each field of the wanted data may be absent",
      "Require no field of data: a merchant may not know it. Decline an order that lacks a field for the payment, with a result code.",
      async (context) => {
        const data = Object.entries(await wantedData(context, orderData));
        const fieldsMax = Math.max(...data.map(([, fields]) => Object.keys(fields).length));
        for (let place = 0; place < fieldsMax; place += 1) {
          const single = data.flatMap(([group, fields]) => {
            const field = Object.entries(fields)[place];
            return field ? [[group, Object.fromEntries([field])]] : [];
          });
          await submitOrder(context, { data: Object.fromEntries(single) });
        }
      },
    ),
    requiredCase(
      "submit-data-changed",
      "a repeated submit with other data, or without data, is the same order",
      "Do not compare data in repeats: the gateway sends other groups after the facts have changed.",
      async (context) => {
        const fields = buildSubmitRequest(context, { data: await wantedData(context, orderData) });
        const answer = await call(context, "submit", fields);
        requireSuccess(answer, "submit");
        const { data: _, ...withoutData } = fields;
        const repeated = await call(context, "submit", withoutData);
        requireSuccess(repeated, "the repeated submit without data");
        readOrder(repeated, fields.reference);
      },
    ),
  ],
};

/** The groups of `all` that the provider wants. */
async function wantedData(
  context: ProviderContext,
  all: { readonly [Group in DataGroup]: Fields },
): Promise<Readonly<Record<string, Fields>>> {
  const { wants } = await requireFacts(context);
  if (wants.length === 0) throw new NotObservable("the facts want no data.");
  const data = Object.fromEntries(wants.map((group) => [group, all[group]]));
  ensure(Object.keys(data).length === wants.length, `wants names a group twice: ${wants.join(", ")}.`);
  return data;
}
