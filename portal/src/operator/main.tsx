import { startLanguage } from "../languages/language.ts";
import { operatorCatalogues } from "../languages/catalogues.ts";
import { startPage } from "../start.tsx";
import { newOperatorRouter } from "./operator-routes.tsx";
import { operatorColours, createOperatorTheme } from "./operator-theme.ts";

await startPage({
  language: startLanguage(operatorCatalogues),
  newRouter: newOperatorRouter,
  createTheme: createOperatorTheme,
  colours: operatorColours,
});
