import { startLanguage } from "./languages/language.ts";
import { newRouter } from "./routes.tsx";
import { startPage } from "./start.tsx";
import { colours, createPortalTheme } from "./theme.ts";

await startPage({ language: startLanguage(), newRouter, createTheme: createPortalTheme, colours });
