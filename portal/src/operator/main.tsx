import { startLanguage } from "../languages/language.ts";
import { startPage } from "../start.tsx";
import { newOperatorRouter } from "./operator-routes.tsx";
import { operatorColours, operatorThemeOf } from "./operator-theme.ts";

const language = await startLanguage({
  en: async () => (await import("../languages/english-operator.ts")).englishOperator,
  zh: async () => (await import("../languages/chinese-operator.ts")).chineseOperator,
});
startPage({
  language,
  newRouter: newOperatorRouter,
  themeOf: operatorThemeOf,
  colours: operatorColours,
});
