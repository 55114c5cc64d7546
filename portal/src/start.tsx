import { MantineProvider, type CSSVariablesResolver, type MantineThemeOverride } from "@mantine/core";
import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import { RouterProvider, type AnyRouter } from "@tanstack/react-router";
import type { i18n } from "i18next";
import { startTransition, useLayoutEffect, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { I18nextProvider, useTranslation } from "react-i18next";
import { pauseRefreshWhenIdle } from "./api/idle-refresh.ts";
import { newQueries } from "./api/queries.ts";
import { StepUp } from "./step-up/step-up.tsx";

interface PageParts {
  readonly language: Promise<i18n>;
  newRouter(queries: QueryClient): AnyRouter;
  /** `close` is the accessible name of a dialog's close button. */
  createTheme(close: string): MantineThemeOverride;
  readonly colours: CSSVariablesResolver;
}

/** `startPage` starts one of the two applications: the portal or the operator console. */
export async function startPage({ language, newRouter, createTheme, colours }: PageParts): Promise<void> {
  const root = document.querySelector("#root");
  if (!root) throw new Error("The page has no element with the id root.");
  // The content security policy allows only styles with this nonce, which is new for each page load.
  const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
  // The library that locks scrolling behind a dialog reads the nonce here.
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  const queries = newQueries();
  pauseRefreshWhenIdle(queries);
  const router = newRouter(queries);
  // The static content of the page stays until the first page can be rendered.
  const [currentLanguage] = await Promise.all([language, router.load()]);

  function Themed({ children }: { readonly children: ReactNode }): ReactNode {
    const { t } = useTranslation();
    useLayoutEffect(() => document.querySelector(".first")?.remove(), []);
    return (
      <MantineProvider
        theme={createTheme(t("shell.close"))}
        cssVariablesResolver={colours}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        {children}
      </MantineProvider>
    );
  }

  const reactRoot = createRoot(root);
  // A transition lets React yield every few milliseconds, so that a slow phone stays responsive.
  startTransition(() =>
    reactRoot.render(
      <I18nextProvider i18n={currentLanguage}>
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
