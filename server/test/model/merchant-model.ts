import { countedBy, heldAtWallet, type ModelDispute } from "./dispute-model.ts";
import { goesAhead, type Perhaps } from "./words.ts";

/**
 * What a merchant may expect of the gateway, in memory: the specification that random commands are held
 * against. It knows what the merchant asked for and what the buyer did at the wallet, and it does not know when
 * the gateway hears of it. So a payment has several views at a time, each rule speaks of one view, and an answer
 * is right if it is right in one of them.
 */
export type Status = "PROCESSING" | "PENDING" | "SUCCESS" | "FAIL" | "CANCELLED";

/** As the wallet has it. HELD: the buyer agreed to a payment that is captured later. UNCHOSEN: no wallet has it yet. */
export type Order = "UNCHOSEN" | "OPEN" | "PENDING" | "PAID" | "HELD" | "DECLINED" | "CLOSED";

/** How it is paid: on our page, in a session, with a token, or in a store. */
export type Product = "page" | "session" | "token" | Scenario;

export type Scenario = "PaymentCode" | "OrderCode" | "EntryCode";

/** What makes two requests the same. */
export interface PayContent {
  readonly product: Product;
  /** The access token, or the code that the buyer showed. */
  readonly paymentMethodId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly isManual: boolean;
  readonly paymentMethodType: string;
  readonly referenceOrderId: string;
}

/** A capture or a refund that the gateway has taken on. */
export interface Move {
  readonly requestId: string;
  readonly amountMinor: bigint;
  readonly isLast: boolean;
  id: string;
  /** Under way, it ends well, unless the hold has lapsed, or a dispute was quicker, before it came. */
  state: "under way" | "SUCCESS" | "FAIL";
  mayFail: boolean;
}

export interface ModelPayment {
  readonly requestId: string;
  /** Undefined when nobody ever asked for it, and only a cancel named it. */
  readonly content: PayContent | undefined;
  readonly paymentId: string;
  /** Where it may stand, as far as the merchant can know. */
  may: ReadonlySet<Status>;
  /** The last that the merchant saw; it never falls. */
  sequence: number;
  order: Order;
  /** Why it fails, if it does. */
  failure: string;
  wasHeld: boolean;
  sawSuccess: boolean;
  /** The hold is gone at the wallet, and the gateway is not told of it until it captures. */
  hasLapsed: Perhaps;
  /** Whether the gateway is to close an order that nobody has paid yet. */
  cancelWanted: Perhaps;
  hasExpired: boolean;
  /** Whether all of what was paid is on its way back. */
  isReversing: Perhaps;
  /** A dispute was quicker, and the wallet did not give it back: then no other cancel will. */
  isReversalRefused: Perhaps;
  /** A refund was refused that the gateway may have let go ahead: then it is there, and has failed. */
  mayHaveFailed: boolean;
  /** Paid although it was closed: the money goes back, and the merchant's answer stays. */
  wasPaidLate: boolean;
  /** A fault was set on its wallet calls, so that one of them may remain unanswered. */
  isFaulty: boolean;
  /** The page of a session, and the method that its buyer has chosen there. */
  readonly pageUrl?: string;
  chosen?: string;
  readonly captures: Move[];
  readonly refunds: Move[];
  readonly disputes: ModelDispute[];
}

/** One of the ways in which the gateway may see a payment. */
export interface View {
  readonly status: Status;
  readonly isReversing: boolean;
  readonly isReversalRefused: boolean;
  /** What has gone back, or is to go back, and what disputes keep. */
  readonly refundedMinor: bigint;
  readonly disputedMinor: bigint;
  readonly knewHold: boolean;
  readonly captures: readonly Pick<Move, "amountMinor" | "isLast" | "state">[];
}

const follows: Readonly<Record<Status, readonly Status[]>> = {
  PROCESSING: ["PROCESSING", "PENDING", "SUCCESS", "FAIL", "CANCELLED"],
  PENDING: ["PENDING", "SUCCESS", "FAIL", "CANCELLED"],
  SUCCESS: ["SUCCESS", "CANCELLED"],
  FAIL: ["FAIL"],
  CANCELLED: ["CANCELLED"],
};

export function newPayment(
  named: Pick<ModelPayment, "requestId" | "paymentId" | "content" | "pageUrl">,
  isFaulty: boolean,
): ModelPayment {
  return {
    ...named,
    may: new Set<Status>([named.content ? "PROCESSING" : "CANCELLED"]),
    sequence: 1,
    order: named.content ? "OPEN" : "CLOSED",
    failure: "ORDER_IS_CLOSED",
    wasHeld: false,
    sawSuccess: false,
    hasLapsed: "no",
    cancelWanted: "no",
    hasExpired: false,
    isReversing: "no",
    isReversalRefused: "no",
    mayHaveFailed: false,
    wasPaidLate: false,
    isFaulty,
    captures: [],
    refunds: [],
    disputes: [],
  };
}

/** What `pay` may say where it goes ahead: that there is a code to show, or not yet. */
export const issuedOrNot = ["SUCCESS", "PAYMENT_IN_PROCESS"];

function payCode({ status }: View, { failure, content }: ModelPayment): string {
  if (status === "SUCCESS") return "SUCCESS";
  if (status === "CANCELLED") return "ORDER_IS_CANCELED";
  if (content?.product === "session")
    return status === "FAIL" && failure === "ORDER_IS_CLOSED" ? failure : "SUCCESS";
  if (status === "FAIL") return failure;
  return isCodeShown(content?.product) && status === "PROCESSING" ? goesAhead : "PAYMENT_IN_PROCESS";
}

export function repeatedPayCode(view: View, payment: ModelPayment, content: PayContent): string {
  const isSame = !payment.content || sameContent(payment.content, content);
  return isSame ? payCode(view, payment) : "REPEAT_REQ_INCONSISTENT";
}

export function cancelCode(view: View, payment: ModelPayment): string {
  const { status, captures } = view;
  if (status === "CANCELLED") return "SUCCESS";
  // The buyer was quicker: this cancel finds that out, and the next one gives the money back.
  if (status === "PROCESSING" && payment.order === "UNCHOSEN") return "SUCCESS";
  if (status === "PROCESSING") return payment.order === "PAID" ? "UNKNOWN_EXCEPTION" : goesAhead;
  if (status !== "SUCCESS") return "ORDER_STATUS_INVALID";
  if (view.isReversalRefused) return "PROCESS_FAIL";
  if (view.isReversing) return goesAhead;
  if (sum(captures) > 0n || view.disputedMinor > 0n) return "ORDER_STATUS_INVALID";
  return view.refundedMinor > 0n ? "PROCESS_FAIL" : goesAhead;
}

export interface MoveAsked {
  readonly amountMinor: bigint;
  readonly currency: string;
}

export function captureCode(view: View, { content }: ModelPayment, asked: MoveAsked): string {
  const { status, captures } = view;
  if (status === "CANCELLED") return view.knewHold ? "AUTH_CANCELLED" : "ORDER_IS_CANCELED";
  if (status !== "SUCCESS" || view.isReversing || !content?.isManual) return "ORDER_STATUS_INVALID";
  if (asked.currency !== content.currency) return "CURRENCY_NOT_SUPPORT";
  const hadLast = captures.some(({ isLast, state }) => isLast && state !== "FAIL");
  const exceeds = sum(captures) + asked.amountMinor > content.amountMinor;
  return hadLast || exceeds ? "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT" : goesAhead;
}

export function refundCode(view: View, payment: ModelPayment, asked: MoveAsked): string {
  const { content, failure } = payment;
  if (view.status === "CANCELLED") return "ORDER_IS_CANCELED";
  if (view.status === "FAIL" && failure === "ORDER_IS_CLOSED") return "ORDER_IS_CLOSED";
  if (view.status !== "SUCCESS" || view.isReversing) return "ORDER_STATUS_INVALID";
  if (asked.currency !== content?.currency) return "CURRENCY_NOT_SUPPORT";
  // What is still being captured cannot go back yet.
  const takenMinor = content.isManual ? sum(view.captures, ["SUCCESS"]) : content.amountMinor;
  const leftMinor = takenMinor - view.refundedMinor - view.disputedMinor;
  return asked.amountMinor > leftMinor ? "REFUND_AMOUNT_EXCEED" : goesAhead;
}

/** Whether the wallet may refuse what the gateway lets go ahead: it may know of a dispute first. */
export function mayBeRefused(payment: ModelPayment, amountMinor: bigint): boolean {
  const { disputes, refunds } = payment;
  const heldMinor = heldAtWallet(disputes);
  return heldMinor > 0n && amountMinor > takenOf(payment) - sum(refunds) - heldMinor;
}

/** What was taken of the buyer for certain, in minor units. */
export function takenOf({ order, content, captures }: ModelPayment): bigint {
  if (content?.isManual) return sum(captures, ["SUCCESS"]);
  return order === "PAID" ? (content?.amountMinor ?? 0n) : 0n;
}

/** In minor units; what is under way is counted as if it were done, unless told otherwise. */
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

/** What the wallet may say to the buyer: that it is done, or that it is too late. */
export function mayAct(
  payment: ModelPayment,
  action: string,
): { readonly done: boolean; readonly late: boolean } {
  const { order, captures, cancelWanted, hasExpired, isReversing } = payment;
  const isClosing = cancelWanted !== "no" || hasExpired;
  if (order === "OPEN" || (order === "PENDING" && action !== "pend")) return { done: true, late: isClosing };
  if (order !== "HELD" || action !== "expire") return { done: false, late: true };
  // What was captured in part cannot lapse any more, and a capture that is under way may have come first.
  const isLetGo = isReversing !== "no" || isClosing;
  return { done: sum(captures, ["SUCCESS"]) === 0n, late: isLetGo || sum(captures) > 0n };
}

/** Where it comes to rest if nobody does anything more. */
export function restsOf(payment: ModelPayment): ReadonlySet<Status> {
  return new Set([...payment.may].flatMap((status) => restsFrom(payment, status)));
}

function restsFrom(payment: ModelPayment, status: Status): readonly Status[] {
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
  // The gateway had asked when it was still open, or just when it was so no more.
  if (order === "HELD") return hasExpired ? [...closed, "SUCCESS"] : ["SUCCESS"];
  if (order === "DECLINED" || order === "CLOSED") return closed;
  const open: Status = order === "PENDING" && !isInStore(payment) ? "PENDING" : "PROCESSING";
  if (cancelWanted === "yes") return closed;
  if (hasExpired) return order === "PENDING" ? [open, ...closed] : closed;
  return cancelWanted === "maybe" ? [open, ...closed] : [open];
}

/** A till knows paid, not paid and not yet. */
export function isInStore({ content }: ModelPayment): boolean {
  return content?.product === "PaymentCode" || isCodeShown(content?.product);
}

function isCodeShown(product: Product | undefined): boolean {
  return product === "OrderCode" || product === "EntryCode";
}

/** After anything has happened: wherever it may come to rest, it may be by now. */
export function spread(payment: ModelPayment): void {
  payment.may = new Set([...payment.may, ...restsOf(payment)]);
}

/** After an answer that only these views can give: what lies before them is over. */
export function narrow(payment: ModelPayment, seen: readonly Status[]): void {
  const reached = new Set(seen.flatMap((status) => follows[status]));
  payment.may = new Set([...payment.may].filter((status) => reached.has(status)));
  if (seen.every((status) => status === "SUCCESS")) payment.sawSuccess = true;
}

export function viewsOf(payment: ModelPayment): readonly View[] {
  const { may, content, wasHeld, sawSuccess } = payment;
  const holds = sawSuccess || !wasHeld ? [sawSuccess] : [false, true];
  const captures = capturesMay(payment);
  const kept = keptMay(payment);
  return [...may].flatMap((status) => {
    const known = status === "CANCELLED" && content?.isManual ? holds : [false];
    return (status === "SUCCESS" ? reversalsMay(payment) : [notReversing]).flatMap((reversal) =>
      known.flatMap((knewHold) =>
        captures.flatMap((seen) =>
          kept.map((minor) => ({ status, ...reversal, ...minor, knewHold, captures: seen })),
        ),
      ),
    );
  });
}

const notReversing = { isReversing: false, isReversalRefused: false };

/** Under way, refused, or neither. */
function reversalsMay({
  isReversing,
  isReversalRefused,
}: ModelPayment): readonly Pick<View, "isReversing" | "isReversalRefused">[] {
  if (isReversalRefused === "yes") return [{ ...notReversing, isReversalRefused: true }];
  return [
    ...(isReversing === "yes" ? [] : [notReversing]),
    ...(isReversing === "no" ? [] : [{ ...notReversing, isReversing: true }]),
    ...(isReversalRefused === "no" ? [] : [{ ...notReversing, isReversalRefused: true }]),
  ];
}

/** The least and the most: whatever is true of both is true of what lies between. */
function keptMay({
  refunds,
  disputes,
}: ModelPayment): readonly Pick<View, "refundedMinor" | "disputedMinor">[] {
  const sureMinor = sum(refunds.filter(({ mayFail, state }) => state === "SUCCESS" || !mayFail));
  const { lowMinor, highMinor } = countedBy(disputes);
  return [...new Set([sureMinor, sum(refunds)])].flatMap((refundedMinor) =>
    [...new Set([lowMinor, highMinor])].map((disputedMinor) => ({ refundedMinor, disputedMinor })),
  );
}

/** Each capture that is under way may have ended by now. */
function capturesMay({ captures, hasLapsed }: ModelPayment): readonly View["captures"][] {
  const ends = { no: ["SUCCESS"], maybe: ["SUCCESS", "FAIL"], yes: ["FAIL"] } as const;
  return captures.reduce<readonly View["captures"][]>(
    (all, capture) => {
      const ended = capture.state === "under way" ? ends[hasLapsed] : [];
      const seen = [capture, ...ended.map((state) => ({ ...capture, state }))];
      return all.flatMap((before) => seen.map((each) => [...before, each]));
    },
    [[]],
  );
}
