import { blockedByDisputes, heldAtProvider, type ModelDispute } from "./dispute-model.ts";
import { notRejected, type Certainty } from "./model-types.ts";

/**
 * The expected behaviour of the gateway, in memory: the specification for random commands. It knows the merchant's
 * requests and the buyer's actions at the provider, but not when the gateway learns of these actions. So a payment has
 * several views at a time, each rule is about one view, and a response is correct if it is correct in one of them.
 */
export type Status = "PROCESSING" | "PENDING" | "SUCCESS" | "FAIL" | "CANCELLED";

/**
 * The order at the provider. HELD: the buyer authorized a payment that is captured later. UNCHOSEN: no provider has it
 * yet.
 */
export type Order = "UNCHOSEN" | "OPEN" | "PENDING" | "PAID" | "HELD" | "DECLINED" | "CLOSED";

/** The way of a payment: on the checkout page, in a session, with a token, or in a store. */
export type Product = "page" | "session" | "token" | Scenario;

export type Scenario = "PaymentCode" | "OrderCode" | "EntryCode";

/** The fields of a payment request that must be equal in a repeat. */
export interface PayContent {
  readonly product: Product;
  /** The access token, or the payment code that the buyer showed. */
  readonly paymentMethodId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly isManual: boolean;
  readonly paymentMethodType: string;
  readonly referenceOrderId: string;
}

/** A capture or a refund that the gateway has accepted. */
export interface Move {
  readonly requestId: string;
  readonly amountMinor: bigint;
  readonly isLast: boolean;
  id: string;
  /**
   * The state of the move. A move in progress succeeds, unless the authorization hold lapsed or a dispute arrived
   * first.
   */
  state: "under way" | "SUCCESS" | "FAIL";
  mayFail: boolean;
}

export interface ModelPayment {
  readonly requestId: string;
  /** The content of the payment request; undefined if only a cancel has named the request id. */
  readonly content: PayContent | undefined;
  readonly paymentId: string;
  /** The possible statuses, as far as the merchant can know. */
  possibleStatuses: ReadonlySet<Status>;
  /** The last sequence that the merchant saw; it never decreases. */
  sequence: number;
  order: Order;
  /** The result code of the payment if it fails. */
  failure: string;
  wasHeld: boolean;
  sawSuccess: boolean;
  /** The hold has lapsed at the provider, and the gateway learns of it only when it captures. */
  hasLapsed: Certainty;
  /** Whether the gateway should close an order that is not paid yet. */
  cancelWanted: Certainty;
  hasExpired: boolean;
  /** Whether the full amount is being returned. */
  isReversing: Certainty;
  /** Whether the provider refused the reversal, because a dispute arrived first. Then every later cancel fails, too. */
  isReversalRefused: Certainty;
  /** True if a rejected refund may have been sent by the gateway. Such a refund exists and has failed. */
  mayHaveFailed: boolean;
  /** Whether the provider may accept a capture or a refund of this payment and fail it later. */
  readonly mayFailLater: { capture: boolean; refund: boolean };
  /**
   * True if the provider took the money of a closed payment. The money is returned, and the merchant's result stays.
   */
  wasPaidLate: boolean;
  /**
   * True if a fault was set for the payment's requests to the provider, so that one of them may remain without a
   * response.
   */
  isFaulty: boolean;
  /** The URL of a session's page; `chosenMethod` is the method that the buyer has chosen there. */
  readonly pageUrl?: string;
  chosenMethod?: string;
  readonly captures: Move[];
  readonly refunds: Move[];
  readonly disputes: ModelDispute[];
}

/** One possible view that the gateway has of a payment. */
export interface GatewayView {
  readonly status: Status;
  readonly isReversing: boolean;
  readonly isReversalRefused: boolean;
  /** The sum of amounts that were or will be returned; `disputedMinor` is the sum that disputes block. */
  readonly refundedMinor: bigint;
  readonly disputedMinor: bigint;
  readonly knowsHold: boolean;
  readonly captures: readonly Pick<Move, "amountMinor" | "isLast" | "state" | "mayFail">[];
}

const laterStatuses: Readonly<Record<Status, readonly Status[]>> = {
  PROCESSING: ["PROCESSING", "PENDING", "SUCCESS", "FAIL", "CANCELLED"],
  PENDING: ["PENDING", "SUCCESS", "FAIL", "CANCELLED"],
  SUCCESS: ["SUCCESS", "CANCELLED"],
  FAIL: ["FAIL"],
  CANCELLED: ["CANCELLED"],
};

export function newPayment(
  ids: Pick<ModelPayment, "requestId" | "paymentId" | "content" | "pageUrl">,
  isFaulty: boolean,
): ModelPayment {
  return {
    ...ids,
    possibleStatuses: new Set<Status>([ids.content ? "PROCESSING" : "CANCELLED"]),
    sequence: 1,
    order: ids.content ? "OPEN" : "CLOSED",
    failure: "ORDER_IS_CLOSED",
    wasHeld: false,
    sawSuccess: false,
    hasLapsed: "no",
    cancelWanted: "no",
    hasExpired: false,
    isReversing: "no",
    isReversalRefused: "no",
    mayHaveFailed: false,
    mayFailLater: { capture: false, refund: false },
    wasPaidLate: false,
    isFaulty,
    captures: [],
    refunds: [],
    disputes: [],
  };
}

/** Possible result codes of an in-store `pay` that is not rejected: the code to show exists, or not yet. */
export const inStoreAcceptedCodes = ["SUCCESS", "PAYMENT_IN_PROCESS"];

function payCode({ status }: GatewayView, { failure, content }: ModelPayment): string {
  if (status === "SUCCESS") return "SUCCESS";
  if (status === "CANCELLED") return "ORDER_IS_CANCELED";
  if (content?.product === "session")
    return status === "FAIL" && failure === "ORDER_IS_CLOSED" ? failure : "SUCCESS";
  if (status === "FAIL") return failure;
  return isCodeShown(content?.product) && status === "PROCESSING" ? notRejected : "PAYMENT_IN_PROCESS";
}

export function repeatedPayCode(view: GatewayView, payment: ModelPayment, content: PayContent): string {
  const isSame = !payment.content || sameContent(payment.content, content);
  return isSame ? payCode(view, payment) : "REPEAT_REQ_INCONSISTENT";
}

export function cancelCode(view: GatewayView, payment: ModelPayment): string {
  const { status, captures } = view;
  if (status === "CANCELLED") return "SUCCESS";
  // If the buyer paid first, this cancel discovers the payment, and the next cancel returns the money.
  if (status === "PROCESSING" && payment.order === "UNCHOSEN") return "SUCCESS";
  if (status === "PROCESSING") return payment.order === "PAID" ? "UNKNOWN_EXCEPTION" : notRejected;
  if (status !== "SUCCESS") return "ORDER_STATUS_INVALID";
  if (view.isReversalRefused) return "PROCESS_FAIL";
  if (view.isReversing) return notRejected;
  if (sum(captures) > 0n || view.disputedMinor > 0n) return "ORDER_STATUS_INVALID";
  return view.refundedMinor > 0n ? "PROCESS_FAIL" : notRejected;
}

export interface MoveRequest {
  readonly amountMinor: bigint;
  readonly currency: string;
}

export function captureCode(view: GatewayView, { content }: ModelPayment, request: MoveRequest): string {
  const { status, captures } = view;
  if (status === "CANCELLED") return view.knowsHold ? "AUTH_CANCELLED" : "ORDER_IS_CANCELED";
  if (status !== "SUCCESS" || view.isReversing || !content?.isManual) return "ORDER_STATUS_INVALID";
  if (request.currency !== content.currency) return "CURRENCY_NOT_SUPPORT";
  const hadLast = captures.some(({ isLast, state }) => isLast && state !== "FAIL");
  const exceeds = sum(captures) + request.amountMinor > content.amountMinor;
  return hadLast || exceeds ? "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT" : notRejected;
}

export function refundCode(view: GatewayView, payment: ModelPayment, request: MoveRequest): string {
  const { content, failure } = payment;
  if (view.status === "CANCELLED") return "ORDER_IS_CANCELED";
  if (view.status === "FAIL" && failure === "ORDER_IS_CLOSED") return "ORDER_IS_CLOSED";
  if (view.status !== "SUCCESS" || view.isReversing) return "ORDER_STATUS_INVALID";
  if (request.currency !== content?.currency) return "CURRENCY_NOT_SUPPORT";
  // Only completed captures count, because the money of a capture in progress cannot be returned yet.
  const takenMinor = content.isManual ? sum(view.captures, ["SUCCESS"]) : content.amountMinor;
  const leftMinor = takenMinor - view.refundedMinor - view.disputedMinor;
  return request.amountMinor > leftMinor ? "REFUND_AMOUNT_EXCEED" : notRejected;
}

/**
 * Whether the provider may reject or fail a refund or a reversal that the gateway sends: it knows of a dispute first, or
 * a fault waits for it.
 */
export function mayBeRefused(payment: ModelPayment, amountMinor: bigint): boolean {
  const { disputes, refunds, mayFailLater } = payment;
  if (mayFailLater.refund) return true;
  const heldMinor = heldAtProvider(disputes);
  return heldMinor > 0n && amountMinor > takenMinorOf(payment) - sum(refunds) - heldMinor;
}

/** The amount that was surely taken from the buyer, in minor units. */
export function takenMinorOf({ order, content, captures }: ModelPayment): bigint {
  if (content?.isManual) return sum(captures, ["SUCCESS"]);
  return order === "PAID" ? (content?.amountMinor ?? 0n) : 0n;
}

/** `sum` adds the amounts of moves in these states, in minor units. By default, moves in progress count as done. */
export function sum(
  moves: readonly Pick<Move, "amountMinor" | "state">[],
  states: readonly Move["state"][] = ["under way", "SUCCESS"],
): bigint {
  const counted = moves.filter(({ state }) => states.includes(state));
  return counted.reduce((total, { amountMinor }) => total + amountMinor, 0n);
}

function sameContent(one: PayContent, other: PayContent): boolean {
  const fields = Object.keys(one) as (keyof PayContent)[];
  return fields.every((field) => one[field] === other[field]);
}

/** `possibleActResults` returns the provider's possible responses to the buyer's action: done, or too late. */
export function possibleActResults(
  payment: ModelPayment,
  action: string,
): { readonly done: boolean; readonly late: boolean } {
  const { order, captures, cancelWanted, hasExpired, isReversing } = payment;
  const isClosing = cancelWanted !== "no" || hasExpired;
  if (order === "OPEN" || (order === "PENDING" && action !== "pend")) return { done: true, late: isClosing };
  if (order !== "HELD" || action !== "expire") return { done: false, late: true };
  // A partly captured hold cannot lapse any more, and a capture in progress may have come first.
  const isReleased = isReversing !== "no" || isClosing;
  return { done: sum(captures, ["SUCCESS"]) === 0n, late: isReleased || sum(captures) > 0n };
}

/** Returns the final statuses that the payment can reach without any further action. */
export function finalStatusesOf(payment: ModelPayment): ReadonlySet<Status> {
  return new Set([...payment.possibleStatuses].flatMap((status) => finalStatusesFrom(payment, status)));
}

function finalStatusesFrom(payment: ModelPayment, status: Status): readonly Status[] {
  const { order, cancelWanted, hasExpired, isReversing, wasHeld } = payment;
  if (status === "FAIL" || status === "CANCELLED") return [status];
  if (status === "SUCCESS") {
    if (isReversing === "yes") return ["CANCELLED"];
    return isReversing === "maybe" ? ["SUCCESS", "CANCELLED"] : ["SUCCESS"];
  }
  if (order === "PAID") return ["SUCCESS"];
  const closed: Status[] = cancelWanted === "no" ? ["FAIL"] : ["FAIL", "CANCELLED"];
  if (wasHeld) closed.push("SUCCESS");
  // Race: closing an order that was held meanwhile releases the money, even before the gateway hears of the hold.
  if (order === "HELD" && cancelWanted !== "no") return closed;
  // The gateway may have sent its close request while the order was open, or just after.
  if (order === "HELD") return hasExpired ? [...closed, "SUCCESS"] : ["SUCCESS"];
  if (order === "DECLINED" || order === "CLOSED") return closed;
  const open: Status = order === "PENDING" && !isInStore(payment) ? "PENDING" : "PROCESSING";
  if (cancelWanted === "yes") return closed;
  if (hasExpired) return order === "PENDING" ? [open, ...closed] : closed;
  return cancelWanted === "maybe" ? [open, ...closed] : [open];
}

/** Returns true for an in-store payment. */
export function isInStore({ content }: ModelPayment): boolean {
  return content?.product === "PaymentCode" || isCodeShown(content?.product);
}

function isCodeShown(product: Product | undefined): boolean {
  return product === "OrderCode" || product === "EntryCode";
}

/** Called after each action: adds every status that the payment may reach to the possible ones. */
export function addReachableStatuses(payment: ModelPayment): void {
  payment.possibleStatuses = new Set([...payment.possibleStatuses, ...finalStatusesOf(payment)]);
}

/** Discards statuses that are inconsistent with this response. */
export function discardImpossibleStatuses(payment: ModelPayment, seen: readonly Status[]): void {
  const reached = new Set(seen.flatMap((status) => laterStatuses[status]));
  payment.possibleStatuses = new Set([...payment.possibleStatuses].filter((status) => reached.has(status)));
  if (seen.every((status) => status === "SUCCESS")) payment.sawSuccess = true;
}

export function viewsOf(payment: ModelPayment): readonly GatewayView[] {
  const { possibleStatuses, content, wasHeld, sawSuccess } = payment;
  const holds = sawSuccess || !wasHeld ? [sawSuccess] : [false, true];
  const captures = possibleCaptures(payment);
  const returnedAmounts = possibleReturnedAmounts(payment);
  return [...possibleStatuses].flatMap((status) => {
    const holdViews = status === "CANCELLED" && content?.isManual ? holds : [false];
    return (status === "SUCCESS" ? possibleReversals(payment) : [notReversing]).flatMap((reversal) =>
      holdViews.flatMap((knowsHold) =>
        captures.flatMap((seen) =>
          returnedAmounts.map((minor) => ({ status, ...reversal, ...minor, knowsHold, captures: seen })),
        ),
      ),
    );
  });
}

const notReversing = { isReversing: false, isReversalRefused: false };

/** Returns the possible views of the reversal: in progress, rejected, or neither. */
function possibleReversals({
  isReversing,
  isReversalRefused,
}: ModelPayment): readonly Pick<GatewayView, "isReversing" | "isReversalRefused">[] {
  if (isReversalRefused === "yes") return [{ ...notReversing, isReversalRefused: true }];
  return [
    ...(isReversing === "yes" ? [] : [notReversing]),
    ...(isReversing === "no" ? [] : [{ ...notReversing, isReversing: true }]),
    ...(isReversalRefused === "no" ? [] : [{ ...notReversing, isReversalRefused: true }]),
  ];
}

/**
 * Returns the views with the minimum and the maximum of returned and disputed amounts. A rule that is true for both is
 * true for every amount between them.
 */
function possibleReturnedAmounts({
  refunds,
  disputes,
}: ModelPayment): readonly Pick<GatewayView, "refundedMinor" | "disputedMinor">[] {
  const sureMinor = sum(refunds.filter(({ mayFail, state }) => state === "SUCCESS" || !mayFail));
  const { lowMinor, highMinor } = blockedByDisputes(disputes);
  return [...new Set([sureMinor, sum(refunds)])].flatMap((refundedMinor) =>
    [...new Set([lowMinor, highMinor])].map((disputedMinor) => ({ refundedMinor, disputedMinor })),
  );
}

/** Returns the possible views of the captures, because each capture in progress may have ended by now. */
function possibleCaptures({ captures, hasLapsed }: ModelPayment): readonly GatewayView["captures"][] {
  const ends = { no: ["SUCCESS"], maybe: ["SUCCESS", "FAIL"], yes: ["FAIL"] } as const;
  return captures.reduce<readonly GatewayView["captures"][]>(
    (all, capture) => {
      const certainty = hasLapsed === "no" && capture.mayFail ? "maybe" : hasLapsed;
      const ended = capture.state === "under way" ? ends[certainty] : [];
      const seen = [capture, ...ended.map((state) => ({ ...capture, state }))];
      return all.flatMap((before) => seen.map((each) => [...before, each]));
    },
    [[]],
  );
}
