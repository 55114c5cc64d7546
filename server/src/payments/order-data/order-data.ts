import type { DataGroup } from "../../providers/provider-facts.ts";
import type { OrderData } from "../../providers/provider.ts";
import type { Payment } from "../payment.ts";

/** The parts of a request of `pay` or `createPaymentSession` from which an order's data is collected. */
interface DataSource {
  readonly order: {
    readonly orderAmount: object;
    readonly goods?: readonly object[];
    readonly buyer?: object;
    readonly shipping?: object;
    readonly merchant?: { readonly merchantDisplayName?: string; readonly merchantName?: string };
  };
  readonly env?: object;
  readonly userRegion?: string;
  /** The buyer's language; only a session has one. */
  readonly locale?: string;
}

const deviceFields = [
  "terminalType",
  "osType",
  "osVersion",
  "deviceTokenId",
  "deviceBrand",
  "deviceModel",
  "clientIp",
];

const browserFields = ["userAgent", "colorDepth", "screenHeight", "screenWidth", "timeZoneOffset"] as const;

/** The fields of each group. Unknown fields of a request are removed before, by its schema. */
const fieldsOfGroup: { readonly [Group in DataGroup]: (request: DataSource) => object } = {
  buyer: ({ order }) => order.buyer ?? {},
  device: ({ env }) => pickFields(env, deviceFields),
  browser: ({ env }) => pickFields(env, browserFields),
  address: ({ order }) => order.shipping ?? {},
  goods: ({ order: { goods, orderAmount } }) => ({
    ...(goods && { goods: limitBytes(goods) }),
    orderAmount,
  }),
  locale: (request) => pickFields(request, ["locale", "userRegion"]),
  descriptor: ({ order: { merchant } }) => {
    const merchantDisplayName = merchant?.merchantDisplayName ?? merchant?.merchantName;
    return merchantDisplayName === undefined ? {} : { merchantDisplayName };
  },
  // The payment stores its metadata for the webhook, so it is not stored a second time.
  metadata: () => ({}),
};

/**
 * `collectOrderData` returns the data of a request in the groups that connectors want, to store it with the payment;
 * undefined if there is none.
 */
export function collectOrderData(request: DataSource, wants: readonly DataGroup[]): OrderData | undefined {
  return groupsOf(wants, (group) => fieldsOfGroup[group](request));
}

/**
 * `selectOrderData` returns the data for a submit: the stored groups that the connector wants now. A merchant that sent no
 * display name has its own name on the statement.
 */
export function selectOrderData(
  { orderData, metadata }: Pick<Payment, "orderData" | "metadata">,
  wants: readonly DataGroup[],
  merchantName: string,
): OrderData | undefined {
  const all: OrderData = {
    descriptor: { merchantDisplayName: merchantName },
    ...(metadata !== undefined && { metadata: { metadata } }),
    ...orderData,
  };
  return groupsOf(wants, (group) => all[group] ?? {});
}

function groupsOf(
  wants: readonly DataGroup[],
  fieldsOf: (group: DataGroup) => object,
): OrderData | undefined {
  const groups = wants
    .map((group) => [group, fieldsOf(group)] as const)
    .filter(([, fields]) => Object.keys(fields).length > 0);
  return groups.length === 0 ? undefined : Object.fromEntries(groups);
}

function pickFields(source: object = {}, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)));
}

/** The maximum size of the list of articles, so that the body of a submit stays below 64 KiB. */
const goodsBytesMax = 16 * 1024;

/** The first articles, up to the maximum size of their JSON. */
function limitBytes<Article>(goods: readonly Article[]): readonly Article[] {
  let bytes = 0;
  return goods.filter((article) => (bytes += Buffer.byteLength(JSON.stringify(article))) <= goodsBytesMax);
}
