import { MantineProvider, type CSSVariablesResolver, type MantineThemeOverride } from "@mantine/core";
import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import { RouterProvider, type AnyRouter } from "@tanstack/react-router";
import type { i18n } from "i18next";
import { startTransition, useLayoutEffect, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { I18nextProvider, useTranslation } from "react-i18next";
import { watchAttention } from "./api/attention.ts";
import { newQueries } from "./api/queries.ts";
import { StepUp } from "./session/step-up.tsx";

interface PageParts {
  readonly language: Promise<i18n>;
  newRouter(queries: QueryClient): AnyRouter;
  /** `close` is what the cross of a dialog is called. */
  themeOf(close: string): MantineThemeOverride;
  readonly colours: CSSVariablesResolver;
}

/** Starts one of our two pages: the portal, or the operator's console. */
export async function startPage({ language, newRouter, themeOf, colours }: PageParts): Promise<void> {
  const root = document.querySelector("#root");
  if (!root) throw new Error("The page has no root.");
  // The page's policy allows only styles that carry this nonce, which is another one each time.
  const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
  // What locks scrolling behind a dialog looks for it here.
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  const queries = newQueries();
  watchAttention(queries);
  const router = newRouter(queries);
  // What the page shows by itself stays until there is something to show.
  const [spoken] = await Promise.all([language, router.load()]);

  function Themed({ children }: { readonly children: ReactNode }): ReactNode {
    const { t } = useTranslation();
    useLayoutEffect(() => document.querySelector(".first")?.remove(), []);
    return (
      <MantineProvider
        theme={themeOf(t("shell.close"))}
        cssVariablesResolver={colours}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        {children}
      </MantineProvider>
    );
  }

  const place = createRoot(root);
  // As a transition: React lets go of the thread every few milliseconds, and a slow telephone answers to a finger meanwhile.
  startTransition(() =>
    place.render(
      <I18nextProvider i18n={spoken}>
        <Themed>
          <QueryClientProvider client={queries}>
            <StepUp>
              <RouterProvider router={router} />
            </StepUp>
          </QueryClientProvider>
        </Themed>
      </I18nextProvider>,
    ),
  );
}
