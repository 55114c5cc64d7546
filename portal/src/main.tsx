import { startLanguage } from "./languages/language.ts";
import { newRouter } from "./routes.tsx";
import { startPage } from "./start.tsx";
import { colours, themeOf } from "./theme.ts";

await startPage({ language: startLanguage(), newRouter, themeOf, colours });
