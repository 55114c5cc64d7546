import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { SignInPage } from "./sign-in/sign-in-page.tsx";

export const root = createRootRouteWithContext<{ readonly queries: QueryClient }>()({ component: Outlet });

interface SignInSearch {
  readonly to?: string | undefined;
  /** Why the identity provider's answer was not taken. */
  readonly refused?: "OIDC_REFUSED" | undefined;
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  // What is not named is kept as it came, so what is refused has to be named as well.
  validateSearch: ({ to, refused }: Record<string, unknown>): SignInSearch => ({
    to: isOwnPath(to) ? to : undefined,
    refused: refused === "OIDC_REFUSED" ? refused : undefined,
  }),
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
export const doorRoutes = [
  signIn,
  register,
  checkMail,
  verify,
  developer,
  invitation,
  recover,
  stopRecovery,
] as const;

/** Open redirect: only a path of ours is gone to. */
function isOwnPath(to: unknown): to is string {
  return typeof to === "string" && /^\/(?![/\\])/.test(to);
}
