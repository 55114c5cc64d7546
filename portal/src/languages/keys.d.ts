import type { Catalogue } from "./english.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: Catalogue };
  }
}
