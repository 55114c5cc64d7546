import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { I18nextProvider, useTranslation } from "react-i18next";
import { watchAttention } from "../api/attention.ts";
import { newQueries } from "../api/queries.ts";
import { startLanguage } from "../languages/language.ts";
import { StepUp } from "../session/step-up.tsx";
import { newOperatorRouter } from "./operator-routes.tsx";
import { operatorColours, operatorThemeOf } from "./operator-theme.ts";

/** The page's policy allows only styles that carry this nonce, which is another one each time. */
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
// What locks scrolling behind a dialog looks for it here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const language = await startLanguage({
  en: async () => (await import("../languages/english-operator.ts")).englishOperator,
  zh: async () => (await import("../languages/chinese-operator.ts")).chineseOperator,
});
const queries = newQueries();
watchAttention(queries);
const router = newOperatorRouter(queries);

const root = document.querySelector("#root");
if (!root) throw new Error("The page has no root.");

function Themed({ children }: { readonly children: ReactNode }): ReactNode {
  const { t } = useTranslation();
  return (
    <MantineProvider
      theme={operatorThemeOf(t("shell.close"))}
      cssVariablesResolver={operatorColours}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  );
}

createRoot(root).render(
  <I18nextProvider i18n={language}>
    <Themed>
      <QueryClientProvider client={queries}>
        <StepUp>
          <RouterProvider router={router} />
        </StepUp>
      </QueryClientProvider>
    </Themed>
  </I18nextProvider>,
);
