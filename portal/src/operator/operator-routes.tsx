import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  parseSearchWith,
  redirect,
  stringifySearchWith,
  type AnyRouter,
} from "@tanstack/react-router";
import type { Environment } from "../api/environments.ts";
import { errorCodeOf } from "../api/refusal-error.ts";
import { readAuditFilter } from "../audit/read-audit-filter.ts";
import { meQuery, type Me } from "../session/me.ts";
import { ErrorPage } from "../shell/error-page.tsx";
import { loadEnvironment } from "../shell/environment.tsx";
import { NotFoundPage } from "../shell/not-found-page.tsx";
import { OperatorSignInPage } from "./operator-sign-in-page.tsx";

/** All routes of the operator console. It shares only the sign-in addresses with the portal. */
const root = createRootRouteWithContext<{ readonly queries: QueryClient }>()({ component: Outlet });

const signIn = createRoute({ getParentRoute: () => root, path: "/sign-in", component: OperatorSignInPage });

const developer = createRoute({
  getParentRoute: () => root,
  path: "/developer",
  component: lazyRouteComponent(() => import("../sign-in/developer-page.tsx"), "OperatorDeveloperPage"),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: lazyRouteComponent(() => import("../invitations/invitation-page.tsx"), "InvitationPage"),
});

const recover = createRoute({
  getParentRoute: () => root,
  path: "/recover",
  component: lazyRouteComponent(() => import("./operator-recover-page.tsx"), "OperatorRecoverPage"),
});

const setUp = createRoute({
  getParentRoute: () => root,
  path: "/set-up",
  beforeLoad: async ({ context }) => {
    if (!(await requireSignIn(context.queries)).mustSetUp) throw redirect({ href: "/" });
  },
  component: lazyRouteComponent(() => import("./operator-set-up-page.tsx"), "OperatorSetUpPage"),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context }) => {
    if ((await requireSignIn(context.queries)).mustSetUp) throw redirect({ href: "/set-up" });
  },
  component: lazyRouteComponent(() => import("./operator-shell.tsx"), "OperatorShell"),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: () => {
    throw redirect({ href: `/${loadEnvironment()}` });
  },
});

const environment = createRoute({
  getParentRoute: () => shell,
  path: "/$environment",
  params: {
    parse: ({ environment: word }): { environment: Environment } => {
      if (word !== "sandbox" && word !== "live") throw notFound();
      return { environment: word };
    },
    stringify: ({ environment: word }) => ({ environment: word }),
  },
});

const inEnvironment = [
  createRoute({
    getParentRoute: () => environment,
    path: "/",
    component: lazyRouteComponent(() => import("./open-records-page.tsx"), "OpenRecordsPage"),
  }),
  createRoute({
    getParentRoute: () => environment,
    path: "/payment",
    validateSearch: readSearch,
    component: lazyRouteComponent(() => import("./staff-payment-page.tsx"), "StaffPaymentPage"),
  }),
  createRoute({
    getParentRoute: () => environment,
    path: "/merchants",
    validateSearch: readSearch,
    component: lazyRouteComponent(() => import("./merchants-page.tsx"), "MerchantsPage"),
  }),
  createRoute({
    getParentRoute: () => environment,
    path: "/merchants/$clientId",
    component: lazyRouteComponent(() => import("./merchant-page.tsx"), "MerchantPage"),
  }),
  createRoute({
    getParentRoute: () => environment,
    path: "/providers",
    component: lazyRouteComponent(() => import("./providers-page.tsx"), "ProvidersPage"),
  }),
  createRoute({
    getParentRoute: () => environment,
    path: "/payouts",
    validateSearch: readSearch,
    component: lazyRouteComponent(() => import("./payouts-page.tsx"), "PayoutsPage"),
  }),
  createRoute({
    getParentRoute: () => environment,
    path: "/breaks",
    validateSearch: readSearch,
    component: lazyRouteComponent(() => import("./breaks-page.tsx"), "BreaksPage"),
  }),
];

const reviews = createRoute({
  getParentRoute: () => shell,
  path: "/reviews",
  component: lazyRouteComponent(() => import("./reviews-page.tsx"), "ReviewsPage"),
});

const review = createRoute({
  getParentRoute: () => shell,
  path: "/reviews/$organisationId",
  component: lazyRouteComponent(() => import("./review-page.tsx"), "ReviewPage"),
});

const announcement = createRoute({
  getParentRoute: () => shell,
  path: "/announcement",
  component: lazyRouteComponent(() => import("./announcement-page.tsx"), "AnnouncementPage"),
});

const people = createRoute({
  getParentRoute: () => shell,
  path: "/people",
  component: lazyRouteComponent(() => import("../people/people-page.tsx"), "PeoplePage"),
});

const approvals = createRoute({
  getParentRoute: () => shell,
  path: "/approvals",
  component: lazyRouteComponent(() => import("../approvals/approvals-page.tsx"), "ApprovalsPage"),
});

const recoveries = createRoute({
  getParentRoute: () => shell,
  path: "/recoveries",
  component: lazyRouteComponent(() => import("./recoveries-page.tsx"), "RecoveriesPage"),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: readAuditFilter,
  component: lazyRouteComponent(() => import("./staff-audit-page.tsx"), "StaffAuditPage"),
});

const security = createRoute({
  getParentRoute: () => shell,
  path: "/security",
  component: lazyRouteComponent(() => import("../security/security-page.tsx"), "SecurityPage"),
});

const routeTree = root.addChildren([
  signIn,
  developer,
  invitation,
  recover,
  setUp,
  shell.addChildren([
    home,
    reviews,
    review,
    announcement,
    people,
    approvals,
    recoveries,
    audit,
    security,
    environment.addChildren(inEnvironment),
  ]),
]);

/** The return type is `AnyRouter`, because the library's types can know only one router, and that is the portal's. */
export function newOperatorRouter(queries: QueryClient): AnyRouter {
  return createRouter({
    routeTree,
    context: { queries },
    // Parsed as text, because a search text is often an id of 35 digits, which exceeds the precision of a number.
    parseSearch: parseSearchWith((text) => text),
    stringifySearch: stringifySearchWith(JSON.stringify),
    scrollRestoration: true,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
  });
}

/** The search text is part of the URL. */
function readSearch({ of }: Record<string, unknown>): { of?: string | undefined } {
  return { of: typeof of === "string" || typeof of === "number" ? String(of) : undefined };
}

async function requireSignIn(queries: QueryClient): Promise<Me> {
  try {
    return await queries.ensureQueryData(meQuery);
  } catch (error) {
    if (errorCodeOf(error) !== "NOT_SIGNED_IN") throw error;
    throw redirect({ href: "/sign-in" });
  }
}
