import { startLanguage } from "./languages/language.ts";
import { newRouter } from "./routes.tsx";
import { startPage } from "./start.tsx";
import { colours, themeOf } from "./theme.ts";

startPage({ language: await startLanguage(), newRouter, themeOf, colours });
