import type { Emitter } from "./emitter.ts";
import { areaFile, clientAreasFile } from "./php-areas.ts";
import { currenciesFile, notificationsFile, operationsFile, resultCodesFile } from "./php-facts.ts";
import { enumFile, modelFile } from "./php-models.ts";

/** One class to a file, with readonly properties; a person who opens one should see nothing but the interface. */
export const php: Emitter = {
  language: "php",
  callOf: (area, operation) => `$client->${area}->${operation}(…)`,
  emit: (model) => [
    ...model.types.map(modelFile),
    ...model.enums.map(enumFile),
    ...model.areas.map((area) => areaFile(area, model.types)),
    clientAreasFile(model),
    operationsFile(model),
    notificationsFile(model),
    resultCodesFile(model),
    currenciesFile(model),
  ],
};
