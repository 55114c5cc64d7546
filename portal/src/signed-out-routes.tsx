import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { signInParams } from "./search-params.ts";
import { SignInPage } from "./sign-in/sign-in-page.tsx";

export const root = createRootRouteWithContext<{ readonly queries: QueryClient }>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: signInParams,
  component: SignInPage,
});

const register = createRoute({
  getParentRoute: () => root,
  path: "/register",
  component: lazyRouteComponent(() => import("./register/register-page.tsx"), "RegisterPage"),
});

const checkMail = createRoute({
  getParentRoute: () => root,
  path: "/check-mail",
  component: lazyRouteComponent(() => import("./register/check-mail-page.tsx"), "CheckMailPage"),
});

const verify = createRoute({
  getParentRoute: () => root,
  path: "/verify",
  component: lazyRouteComponent(() => import("./register/verify-page.tsx"), "VerifyPage"),
});

const developer = createRoute({
  getParentRoute: () => root,
  path: "/developer",
  component: lazyRouteComponent(() => import("./sign-in/developer-page.tsx"), "DeveloperPage"),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: lazyRouteComponent(() => import("./invitations/invitation-page.tsx"), "InvitationPage"),
});

const recover = createRoute({
  getParentRoute: () => root,
  path: "/recover",
  component: lazyRouteComponent(() => import("./recovery/recover-page.tsx"), "RecoverPage"),
});

const stopRecovery = createRoute({
  getParentRoute: () => root,
  path: "/stop-recovery",
  component: lazyRouteComponent(() => import("./recovery/stop-recovery-page.tsx"), "StopRecoveryPage"),
});

/** Pages for people who are not signed in. */
export const signedOutRoutes = [
  signIn,
  register,
  checkMail,
  verify,
  developer,
  invitation,
  recover,
  stopRecovery,
] as const;
