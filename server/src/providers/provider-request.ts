import { toAmount } from "../core/money.ts";
import { formatWireTime } from "../core/request-time.ts";
import { toProviderEvidenceType, type ProviderFacts } from "./provider-facts.ts";
import type {
  CaptureOrder,
  DisputeDefense,
  MerchantAccount,
  NewAuthorization,
  NewOrder,
  OrderOwner,
  RefundOrder,
} from "./provider.ts";

/** `toWireOwner` returns the fields that say for whom the provider collects. */
function toWireOwner({ registrationId, ...owner }: OrderOwner): object {
  return { ...toWireAccount(owner), ...(registrationId !== undefined && { registrationId }) };
}

/** `toWireAccount` returns the fields by which a provider with separate accounts finds an order. */
export function toWireAccount(owner: MerchantAccount | undefined): object {
  if (!owner) return {};
  const { merchantId, account } = owner;
  return { merchantId, ...(account !== undefined && { account }) };
}

/** `toWireOrder` returns the fields of `submit`. */
export function toWireOrder(order: NewOrder, callbackUrl: string): object {
  return {
    reference: order.reference,
    ...toWireOwner(order.owner),
    paymentId: order.paymentId,
    merchantName: order.merchantName,
    description: order.description,
    amount: toAmount(order.amount),
    paymentMethodType: order.paymentMethodType,
    notAfter: formatWireTime(order.notAfter.getTime()),
    expiryTime: formatWireTime(order.expiresAt.getTime()),
    callbackUrl,
    capture: order.captureMode,
    ...(order.redirectUrl && { redirectUrl: order.redirectUrl }),
    ...(order.paymentCode && { paymentCode: order.paymentCode }),
    ...(order.agreementToken && { agreementToken: order.agreementToken }),
    ...(order.data && { data: order.data }),
  };
}

/** `toWireMoney` returns the fields that `capture` and `refund` share. */
export function toWireMoney({ reference, owner, amount, notAfter }: CaptureOrder | RefundOrder): object {
  const deadline = formatWireTime(notAfter.getTime());
  return { reference, ...toWireOwner(owner), amount: toAmount(amount), notAfter: deadline };
}

/** `toWireDefense` returns the fields of `defend-dispute`. */
export function toWireDefense(
  { owner, evidence, ...answer }: DisputeDefense,
  facts: ProviderFacts | undefined,
): object {
  const documents = evidence.map((each) => ({ ...each, type: toProviderEvidenceType(facts, each.type) }));
  return { ...answer, ...toWireAccount(owner), ...(documents.length > 0 && { evidence: documents }) };
}

/** `toWireAuthorization` returns the fields of `authorize`. */
export function toWireAuthorization(
  { owner, authorizationId, expiresAt, ...rest }: NewAuthorization,
  callbackUrl: string,
): object {
  const wireFields = { ...toWireAccount(owner), expiryTime: formatWireTime(expiresAt.getTime()) };
  const callback = { callbackUrl: `${callbackUrl}/${owner.merchantId}/${authorizationId}` };
  return { ...rest, ...wireFields, ...callback };
}
