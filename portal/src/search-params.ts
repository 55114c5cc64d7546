import type { Views } from "./generated/console.ts";

/**
 * The search parameters of each address. Filters are part of the address: they survive a reload, and a link can be sent to a colleague.
 * Separate from the routes, because pages import these types and the routes import pages.
 */
type Asked = Record<string, unknown>;

/** The client id, if the organisation has several. It is kept when the person changes pages. */
export const clientParam = ({ client }: Asked): { client?: string | undefined } => ({
  client: textIn(client),
});

/** Days are `2026-11-15`. */
export interface PaymentsFilter {
  readonly search?: string | undefined;
  readonly displayStatus?: Views["payments"]["request"]["displayStatus"] | undefined;
  readonly paymentMethodType?: string | undefined;
  readonly currency?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

export const paymentsFilter = (asked: Asked): PaymentsFilter => ({
  search: wordIn(asked["search"]),
  displayStatus: displayStatusIn(asked),
  paymentMethodType: textIn(asked["paymentMethodType"]),
  currency: textIn(asked["currency"]),
  from: textIn(asked["from"]),
  until: textIn(asked["until"]),
});

/**
 * `displayStatusIn` also accepts `paymentStatus`, because URLs that were saved before the display status existed
 * contain it.
 */
function displayStatusIn({ displayStatus, paymentStatus }: Asked): PaymentsFilter["displayStatus"] {
  const text = textIn(displayStatus) ?? textIn(paymentStatus);
  return (text === "SUCCESS" ? "PAID" : text) as PaymentsFilter["displayStatus"];
}

export interface ChartsFilter {
  readonly days?: number | undefined;
  readonly currency?: string | undefined;
  readonly paymentMethodType?: string | undefined;
}

export const chartsFilter = ({ days, currency, paymentMethodType }: Asked): ChartsFilter => ({
  days: typeof days === "number" ? days : undefined,
  currency: textIn(currency),
  paymentMethodType: textIn(paymentMethodType),
});

type DisputeStatus = Views["disputes"]["request"]["disputeStatus"];

export const disputesFilter = ({ disputeStatus }: Asked): { disputeStatus?: DisputeStatus } => ({
  disputeStatus: textIn(disputeStatus) as DisputeStatus,
});

type RefundStatus = Views["refunds"]["request"]["refundStatus"];

export const refundsFilter = ({ refundStatus }: Asked): { refundStatus?: RefundStatus } => ({
  refundStatus: textIn(refundStatus) as RefundStatus,
});

type CaptureStatus = Views["captures"]["request"]["captureStatus"];

export const capturesFilter = ({ captureStatus }: Asked): { captureStatus?: CaptureStatus } => ({
  captureStatus: textIn(captureStatus) as CaptureStatus,
});

export const balanceFilter = ({ currency }: Asked): { currency?: string | undefined } => ({
  currency: textIn(currency),
});

interface StatementFilter {
  readonly currency?: string | undefined;
  readonly month?: string | undefined;
}

export const statementFilter = ({ currency, month }: Asked): StatementFilter => ({
  currency: textIn(currency),
  month: textIn(month),
});

type AuthorizationStatus = Views["authorizations"]["request"]["authorizationStatus"];

export const authorizationsFilter = ({
  authorizationStatus,
}: Asked): { authorizationStatus?: AuthorizationStatus } => ({
  authorizationStatus: textIn(authorizationStatus) as AuthorizationStatus,
});

type NotificationsRequest = Views["notifications"]["request"];
export type NotificationsFilter = {
  readonly [Name in "notificationStatus" | "notificationKind"]?: NotificationsRequest[Name] | undefined;
};

export const notificationsFilter = ({
  notificationStatus,
  notificationKind,
}: Asked): NotificationsFilter => ({
  notificationStatus: textIn(notificationStatus) as NotificationsFilter["notificationStatus"],
  notificationKind: textIn(notificationKind) as NotificationsFilter["notificationKind"],
});

type CallsOrder = Views["calls"]["request"]["order"];

export const callsOrder = ({ order }: Asked): { order?: CallsOrder | undefined } => ({
  order: textIn(order) as CallsOrder,
});

interface TryParams {
  readonly operation?: string | undefined;
  readonly again?: string | undefined;
}

/** The parameters of the API explorer: an operation, or an earlier API request to send again. */
export const tryParams = ({ operation, again }: Asked): TryParams => ({
  operation: textIn(operation),
  again: textIn(again),
});

interface SignInParams {
  readonly to?: string | undefined;
  /** The reason why the response of the identity provider was rejected. */
  readonly refused?: "OIDC_REFUSED" | undefined;
}

/** The router keeps unknown parameters, so a rejected parameter is set to `undefined`. */
export const signInParams = ({ to, refused }: Asked): SignInParams => ({
  to: isOwnPath(to) ? to : undefined,
  refused: refused === "OIDC_REFUSED" ? refused : undefined,
});

/** Prevents an open redirect: only a path of the portal is accepted. */
function isOwnPath(to: unknown): to is string {
  return typeof to === "string" && /^\/(?![/\\])/.test(to);
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** `wordIn` returns a text. The router parses digits in a URL as a number, and a search text can consist of digits. */
function wordIn(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : textIn(value);
}
