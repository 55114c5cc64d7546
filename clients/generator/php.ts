import type { Emitter, GeneratedFile } from "./emitter.ts";
import { areaApiFile, areaClassFile, areasApiFile, clientAreasFile } from "./php-areas.ts";
import { currenciesFile, notificationsFile, operationsFile, resultCodesFile } from "./php-facts.ts";
import { enumFile, modelFile } from "./php-models.ts";
import { writePhpOutcomes, writePhpOutcomeMethods } from "./payment-outcomes.ts";
import { file } from "./php-text.ts";
import type { Model } from "./model.ts";
import { createTypeDescriber } from "./type-doc.ts";

/**
 * Generates one PHP class per file, with readonly properties, so that each file shows only fields of the
 * interface.
 */
export const php: Emitter = {
  language: "php",
  callOf: (area, operation) => `$client->${area}->${operation}(…)`,
  emit: (model) => [
    ...modelFiles(model),
    ...model.enums.map(enumFile),
    ...model.areas.map((area) => areaClassFile(area, model.types)),
    ...model.areas.map((area) => areaApiFile(area, model.types)),
    clientAreasFile(model),
    areasApiFile(model),
    operationsFile(model),
    notificationsFile(model),
    resultCodesFile(model),
    currenciesFile(model),
    file("Generated", "PaymentOutcomes", ["Models\\Transaction"], writePhpOutcomes(model.outcomes)),
  ],
};

function modelFiles(model: Model): GeneratedFile[] {
  const docs = createTypeDescriber(model, (area, name) => `$client->${area}->${name}`);
  const { outcomes } = model;
  return model.types.map((type) =>
    modelFile(
      type,
      docs(type),
      outcomes.types.includes(type.name) ? writePhpOutcomeMethods(outcomes, type) : undefined,
    ),
  );
}
