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
import { readAuditFilter } from "./audit/read-audit-filter.ts";
import { root, signedOutRoutes } from "./signed-out-routes.tsx";
import { errorCodeOf } from "./api/refusal-error.ts";
import {
  authorizationsFilter,
  balanceFilter,
  callsOrder,
  capturesFilter,
  chartsFilter,
  clientParam,
  disputesFilter,
  notificationsFilter,
  paymentsFilter,
  refundsFilter,
  statementFilter,
  tryParams,
} from "./search-params.ts";
import { passkeysQuery, sessionsQuery } from "./security/security-queries.ts";
import { meQuery, type Me } from "./session/me.ts";
import { ErrorPage } from "./shell/error-page.tsx";
import { loadEnvironment } from "./shell/environment.tsx";
import { NotFoundPage } from "./shell/not-found-page.tsx";

/** All routes of the portal. All pages except the first are loaded on demand. */
const setUp = createRoute({
  getParentRoute: () => root,
  path: "/set-up",
  beforeLoad: async ({ context }) => {
    if (!(await requireSignIn(context.queries, "/")).mustSetUp) throw redirect({ to: "/" });
  },
  component: lazyRouteComponent(() => import("./register/set-up-page.tsx"), "SetUpPage"),
});

/** Pages for people who are signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    if ((await requireSignIn(context.queries, location.href)).mustSetUp) throw redirect({ to: "/set-up" });
  },
  component: lazyRouteComponent(() => import("./shell/shell.tsx"), "Shell"),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/$environment", params: { environment: loadEnvironment() } });
  },
});

const environment = createRoute({
  getParentRoute: () => shell,
  path: "/$environment",
  validateSearch: clientParam,
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

const payments = createRoute({
  getParentRoute: () => environment,
  path: "/payments",
  validateSearch: paymentsFilter,
  component: lazyRouteComponent(() => import("./payments/payments-page.tsx"), "PaymentsPage"),
});

const charts = createRoute({
  getParentRoute: () => environment,
  path: "/charts",
  validateSearch: chartsFilter,
  component: lazyRouteComponent(() => import("./charts/charts-page.tsx"), "ChartsPage"),
});

const payment = createRoute({
  getParentRoute: () => environment,
  path: "/payments/$paymentId",
  component: lazyRouteComponent(() => import("./payments/payment-page.tsx"), "PaymentPage"),
});

const disputes = createRoute({
  getParentRoute: () => environment,
  path: "/disputes",
  validateSearch: disputesFilter,
  component: lazyRouteComponent(() => import("./disputes/disputes-page.tsx"), "DisputesPage"),
});

const dispute = createRoute({
  getParentRoute: () => environment,
  path: "/disputes/$disputeId",
  component: lazyRouteComponent(() => import("./disputes/dispute-page.tsx"), "DisputePage"),
});

const refunds = createRoute({
  getParentRoute: () => environment,
  path: "/refunds",
  validateSearch: refundsFilter,
  component: lazyRouteComponent(() => import("./refunds/refunds-page.tsx"), "RefundsPage"),
});

const captures = createRoute({
  getParentRoute: () => environment,
  path: "/captures",
  validateSearch: capturesFilter,
  component: lazyRouteComponent(() => import("./captures/captures-page.tsx"), "CapturesPage"),
});

const balance = createRoute({
  getParentRoute: () => environment,
  path: "/balance",
  validateSearch: balanceFilter,
  component: lazyRouteComponent(() => import("./balance/balance-page.tsx"), "BalancePage"),
});

const settlement = createRoute({
  getParentRoute: () => environment,
  path: "/balance/$batchId",
  component: lazyRouteComponent(() => import("./balance/settlement-page.tsx"), "SettlementPage"),
});

const statement = createRoute({
  getParentRoute: () => environment,
  path: "/statement",
  validateSearch: statementFilter,
  component: lazyRouteComponent(() => import("./balance/statement-page.tsx"), "StatementPage"),
});

const authorizations = createRoute({
  getParentRoute: () => environment,
  path: "/authorizations",
  validateSearch: authorizationsFilter,
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

const notifications = createRoute({
  getParentRoute: () => environment,
  path: "/notifications",
  validateSearch: notificationsFilter,
  component: lazyRouteComponent(() => import("./notifications/notifications-page.tsx"), "NotificationsPage"),
});

const notification = createRoute({
  getParentRoute: () => environment,
  path: "/notifications/$notificationId",
  component: lazyRouteComponent(() => import("./notifications/notification-page.tsx"), "NotificationPage"),
});

const calls = createRoute({
  getParentRoute: () => environment,
  path: "/calls",
  validateSearch: callsOrder,
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
  validateSearch: tryParams,
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
  validateSearch: readAuditFilter,
  component: lazyRouteComponent(() => import("./audit/audit-page.tsx"), "AuditPage"),
});

const security = createRoute({
  getParentRoute: () => shell,
  path: "/security",
  // The router runs the loader in parallel with loading the page's code.
  loader: ({ context: { queries } }) => {
    void queries.prefetchQuery(passkeysQuery);
    void queries.prefetchQuery(sessionsQuery);
  },
  component: lazyRouteComponent(() => import("./security/security-page.tsx"), "SecurityPage"),
});

const routeTree = root.addChildren([
  ...signedOutRoutes,
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
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
  interface HistoryState {
    /** The address to which an email was sent. */
    email?: string;
    /** The page to open after sign-in. */
    to?: string;
  }
}

/** `requireSignIn` returns the person who is signed in. Others are redirected to the sign-in page and back. */
async function requireSignIn(queries: QueryClient, href: string): Promise<Me> {
  try {
    return await queries.ensureQueryData(meQuery);
  } catch (error) {
    if (errorCodeOf(error) !== "NOT_SIGNED_IN") throw error;
    throw redirect({ to: "/sign-in", search: href === "/" ? {} : { to: href } });
  }
}
