import type { QueryClient } from "@tanstack/react-query";
import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import type { Environment } from "./api/environments.ts";
import { auditFilterIn } from "./audit/audit-filter-in.ts";
import { doorRoutes, root } from "./door-routes.tsx";
import { wordOf } from "./api/refused.ts";
import type { Views } from "./generated/console.ts";
import { passkeysQuery, sessionsQuery } from "./security/security-queries.ts";
import { meQuery, type Me } from "./session/me.ts";
import { Broken } from "./shell/broken.tsx";
import { rememberedEnvironment } from "./shell/environment.tsx";
import { Nowhere } from "./shell/nowhere.tsx";

/** The table of contents: every address of the portal. All but the first page are fetched when they are needed. */
const setUp = createRoute({
  getParentRoute: () => root,
  path: "/set-up",
  beforeLoad: async ({ context }) => {
    if (!(await signedIn(context.queries, "/")).mustSetUp) throw redirect({ to: "/" });
  },
  component: lazyRouteComponent(() => import("./register/set-up-page.tsx"), "SetUpPage"),
});

/** Pages for people who are signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    if ((await signedIn(context.queries, location.href)).mustSetUp) throw redirect({ to: "/set-up" });
  },
  component: lazyRouteComponent(() => import("./shell/shell.tsx"), "Shell"),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/$environment", params: { environment: rememberedEnvironment() } });
  },
});

const environment = createRoute({
  getParentRoute: () => shell,
  path: "/$environment",
  // Which client, where an organisation has several: it stays while one goes from page to page.
  validateSearch: ({ client }: Record<string, unknown>): { client?: string | undefined } => ({
    client: textIn(client),
  }),
  search: { middlewares: [retainSearchParams(["client"])] },
  params: {
    parse: ({ environment: word }): { environment: Environment } => {
      if (word !== "sandbox" && word !== "live") throw notFound();
      return { environment: word };
    },
    stringify: ({ environment: word }) => ({ environment: word }),
  },
});

const overview = createRoute({
  getParentRoute: () => environment,
  path: "/",
  component: lazyRouteComponent(() => import("./overview/overview-page.tsx"), "OverviewPage"),
});

/** Filters stand in the address: they survive a reload, and can be sent to somebody. Days are `2026-11-15`. */
export interface PaymentsFilter {
  readonly search?: string | undefined;
  readonly displayStatus?: Views["payments"]["request"]["displayStatus"] | undefined;
  readonly paymentMethodType?: string | undefined;
  readonly currency?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** Addresses that were saved before the display status name the interface's status. */
function statusIn({
  displayStatus,
  paymentStatus,
}: Record<string, unknown>): PaymentsFilter["displayStatus"] {
  const text = textIn(displayStatus) ?? textIn(paymentStatus);
  return (text === "SUCCESS" ? "PAID" : text) as PaymentsFilter["displayStatus"];
}

const payments = createRoute({
  getParentRoute: () => environment,
  path: "/payments",
  validateSearch: (asked: Record<string, unknown>): PaymentsFilter => ({
    search: wordIn(asked["search"]),
    displayStatus: statusIn(asked),
    paymentMethodType: textIn(asked["paymentMethodType"]),
    currency: textIn(asked["currency"]),
    from: textIn(asked["from"]),
    until: textIn(asked["until"]),
  }),
  component: lazyRouteComponent(() => import("./payments/payments-page.tsx"), "PaymentsPage"),
});

export interface ChartsFilter {
  readonly days?: number | undefined;
  readonly currency?: string | undefined;
  readonly paymentMethodType?: string | undefined;
}

const charts = createRoute({
  getParentRoute: () => environment,
  path: "/charts",
  validateSearch: ({ days, currency, paymentMethodType }: Record<string, unknown>): ChartsFilter => ({
    days: typeof days === "number" ? days : undefined,
    currency: textIn(currency),
    paymentMethodType: textIn(paymentMethodType),
  }),
  component: lazyRouteComponent(() => import("./charts/charts-page.tsx"), "ChartsPage"),
});

const payment = createRoute({
  getParentRoute: () => environment,
  path: "/payments/$paymentId",
  component: lazyRouteComponent(() => import("./payments/payment-page.tsx"), "PaymentPage"),
});

type DisputeStatus = Views["disputes"]["request"]["disputeStatus"];

const disputes = createRoute({
  getParentRoute: () => environment,
  path: "/disputes",
  validateSearch: ({ disputeStatus }: Record<string, unknown>): { disputeStatus?: DisputeStatus } => ({
    disputeStatus: textIn(disputeStatus) as DisputeStatus,
  }),
  component: lazyRouteComponent(() => import("./disputes/disputes-page.tsx"), "DisputesPage"),
});

const dispute = createRoute({
  getParentRoute: () => environment,
  path: "/disputes/$disputeId",
  component: lazyRouteComponent(() => import("./disputes/dispute-page.tsx"), "DisputePage"),
});

type RefundStatus = Views["refunds"]["request"]["refundStatus"];

const refunds = createRoute({
  getParentRoute: () => environment,
  path: "/refunds",
  validateSearch: ({ refundStatus }: Record<string, unknown>): { refundStatus?: RefundStatus } => ({
    refundStatus: textIn(refundStatus) as RefundStatus,
  }),
  component: lazyRouteComponent(() => import("./refunds/refunds-page.tsx"), "RefundsPage"),
});

type CaptureStatus = Views["captures"]["request"]["captureStatus"];

const captures = createRoute({
  getParentRoute: () => environment,
  path: "/captures",
  validateSearch: ({ captureStatus }: Record<string, unknown>): { captureStatus?: CaptureStatus } => ({
    captureStatus: textIn(captureStatus) as CaptureStatus,
  }),
  component: lazyRouteComponent(() => import("./captures/captures-page.tsx"), "CapturesPage"),
});

const balance = createRoute({
  getParentRoute: () => environment,
  path: "/balance",
  validateSearch: ({ currency }: Record<string, unknown>): { currency?: string | undefined } => ({
    currency: textIn(currency),
  }),
  component: lazyRouteComponent(() => import("./balance/balance-page.tsx"), "BalancePage"),
});

const settlement = createRoute({
  getParentRoute: () => environment,
  path: "/balance/$batchId",
  component: lazyRouteComponent(() => import("./balance/settlement-page.tsx"), "SettlementPage"),
});

interface StatementFilter {
  readonly currency?: string | undefined;
  readonly month?: string | undefined;
}

const statement = createRoute({
  getParentRoute: () => environment,
  path: "/statement",
  validateSearch: ({ currency, month }: Record<string, unknown>): StatementFilter => ({
    currency: textIn(currency),
    month: textIn(month),
  }),
  component: lazyRouteComponent(() => import("./balance/statement-page.tsx"), "StatementPage"),
});

type AgreementStatus = Views["authorizations"]["request"]["authorizationStatus"];

const authorizations = createRoute({
  getParentRoute: () => environment,
  path: "/authorizations",
  validateSearch: ({
    authorizationStatus,
  }: Record<string, unknown>): { authorizationStatus?: AgreementStatus } => ({
    authorizationStatus: textIn(authorizationStatus) as AgreementStatus,
  }),
  component: lazyRouteComponent(
    () => import("./authorizations/authorizations-page.tsx"),
    "AuthorizationsPage",
  ),
});

const stores = createRoute({
  getParentRoute: () => environment,
  path: "/stores",
  component: lazyRouteComponent(() => import("./stores/stores-page.tsx"), "StoresPage"),
});

const brand = createRoute({
  getParentRoute: () => environment,
  path: "/checkout-page",
  component: lazyRouteComponent(() => import("./brand/brand-page.tsx"), "BrandPage"),
});

type AskedNotifications = Views["notifications"]["request"];
export type NotificationsFilter = {
  readonly [Name in "notificationStatus" | "notificationKind"]?: AskedNotifications[Name] | undefined;
};

const notifications = createRoute({
  getParentRoute: () => environment,
  path: "/notifications",
  validateSearch: ({
    notificationStatus,
    notificationKind,
  }: Record<string, unknown>): NotificationsFilter => ({
    notificationStatus: textIn(notificationStatus) as NotificationsFilter["notificationStatus"],
    notificationKind: textIn(notificationKind) as NotificationsFilter["notificationKind"],
  }),
  component: lazyRouteComponent(() => import("./notifications/notifications-page.tsx"), "NotificationsPage"),
});

const notification = createRoute({
  getParentRoute: () => environment,
  path: "/notifications/$notificationId",
  component: lazyRouteComponent(() => import("./notifications/notification-page.tsx"), "NotificationPage"),
});

interface TryFilter {
  readonly operation?: string | undefined;
  readonly again?: string | undefined;
}

type CallsOrder = Views["calls"]["request"]["order"];

const calls = createRoute({
  getParentRoute: () => environment,
  path: "/calls",
  validateSearch: ({ order }: Record<string, unknown>): { order?: CallsOrder | undefined } => ({
    order: textIn(order) as CallsOrder,
  }),
  component: lazyRouteComponent(() => import("./calls/calls-page.tsx"), "CallsPage"),
});

const call = createRoute({
  getParentRoute: () => environment,
  path: "/calls/$requestId",
  component: lazyRouteComponent(() => import("./calls/call-page.tsx"), "CallPage"),
});

const tryCalls = createRoute({
  getParentRoute: () => environment,
  path: "/try",
  // The operation, or a call that is to be run again.
  validateSearch: ({ operation, again }: Record<string, unknown>): TryFilter => ({
    operation: textIn(operation),
    again: textIn(again),
  }),
  component: lazyRouteComponent(() => import("./try-calls/try-page.tsx"), "TryPage"),
});

const tools = createRoute({
  getParentRoute: () => environment,
  path: "/tools",
  component: lazyRouteComponent(() => import("./tools/tools-page.tsx"), "ToolsPage"),
});

const keys = createRoute({
  getParentRoute: () => environment,
  path: "/keys",
  component: lazyRouteComponent(() => import("./keys/keys-page.tsx"), "KeysPage"),
});

const people = createRoute({
  getParentRoute: () => shell,
  path: "/people",
  component: lazyRouteComponent(() => import("./people/people-page.tsx"), "PeoplePage"),
});

const approvals = createRoute({
  getParentRoute: () => shell,
  path: "/approvals",
  component: lazyRouteComponent(() => import("./approvals/approvals-page.tsx"), "ApprovalsPage"),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: auditFilterIn,
  component: lazyRouteComponent(() => import("./audit/audit-page.tsx"), "AuditPage"),
});

const security = createRoute({
  getParentRoute: () => shell,
  path: "/security",
  // Asked for together with the code of the page.
  loader: ({ context: { queries } }) => {
    void queries.prefetchQuery(passkeysQuery);
    void queries.prefetchQuery(sessionsQuery);
  },
  component: lazyRouteComponent(() => import("./security/security-page.tsx"), "SecurityPage"),
});

const routeTree = root.addChildren([
  ...doorRoutes,
  setUp,
  shell.addChildren([
    home,
    people,
    approvals,
    audit,
    security,
    environment.addChildren([
      overview,
      payments,
      payment,
      charts,
      disputes,
      dispute,
      refunds,
      captures,
      balance,
      settlement,
      statement,
      authorizations,
      stores,
      brand,
      notifications,
      notification,
      calls,
      call,
      tryCalls,
      tools,
      keys,
    ]),
  ]),
]);

export function newRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    context: { queries },
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultErrorComponent: Broken,
    defaultNotFoundComponent: Nowhere,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
  interface HistoryState {
    /** The address to which a letter was sent. */
    email?: string;
    /** Where to go once signed in. */
    to?: string;
  }
}

/** The person who is signed in; anybody else goes to sign in, and comes back. */
async function signedIn(queries: QueryClient, href: string): Promise<Me> {
  try {
    return await queries.ensureQueryData(meQuery);
  } catch (error) {
    if (wordOf(error) !== "NOT_SIGNED_IN") throw error;
    throw redirect({ to: "/sign-in", search: href === "/" ? {} : { to: href } });
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The router reads digits in an address as a number, and what is searched for may be digits alone. */
function wordIn(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : textIn(value);
}
