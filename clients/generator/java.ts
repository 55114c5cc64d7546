import type { Emitter, GeneratedFile } from "./emitter.ts";
import { javaAreas } from "./java-areas.ts";
import { javaCodecs } from "./java-codecs.ts";
import { javaModels } from "./java-models.ts";
import { codecName, javaFile, packages, quoteJava } from "./java-text.ts";
import { constantName } from "./names.ts";
import { writeJavaOutcomes } from "./payment-outcomes.ts";
import type { Model, Notification } from "./model.ts";

/** Java 17: final classes with builders, open enums, and codecs without reflection. */
export const java: Emitter = {
  language: "java",
  callOf: (area, operation) => `client.${area}().${operation}(…)`,
  emit: (model) => [
    ...javaModels(model),
    ...javaCodecs(model),
    ...javaAreas(model),
    notificationsFile(model),
    resultCodesFile(model),
    secretFieldsFile(model),
    currenciesFile(model),
    outcomesFile(model),
  ],
};

function outcomesFile({ outcomes }: Model): GeneratedFile {
  const imports = [
    `${packages.base}.OpenText`,
    `${packages.model}.Result`,
    `${packages.model}.Transaction`,
    "java.util.List",
  ];
  return javaFile(packages.generated, "PaymentOutcomes", imports, writeJavaOutcomes(outcomes));
}

function notificationsFile({ notifications }: Model): GeneratedFile {
  const body = `/** The kinds of webhooks. */
public final class Notifications {
  private static final List<KindFacts> KINDS = List.of(
${notifications.map(kindOf).join(",\n")});

  private Notifications() {}

  /** Finds the kind by {@code notifyType}; without this field, by the required fields of each kind. */
  public static KindFacts kindOf(Map<String, Object> fields) {
    return KINDS.stream().filter(kind -> kind.fits(fields)).findFirst().orElse(KindFacts.UNKNOWN);
  }
}`;
  const imports = [
    `${packages.call}.KindFacts`,
    "java.util.List",
    "java.util.Map",
    "java.util.Set",
    ...notifications.map(({ type }) => `${packages.codec}.${codecName(type)}`),
  ];
  return javaFile(packages.generated, "Notifications", imports, body);
}

function kindOf({ kind, notifyTypes, requiredFields, subjectField, type }: Notification): string {
  const subject = subjectField === undefined ? "null" : quoteJava(subjectField);
  return `      new KindFacts(
          ${quoteJava(kind)},
          Set.of(${notifyTypes.map(quoteJava).join(", ")}),
          Set.of(${requiredFields.map(quoteJava).join(", ")}),
          ${subject},
          ${codecName(type)}.CODEC)`;
}

function resultCodesFile({ resultCodes }: Model): GeneratedFile {
  const rows = resultCodes.map(({ code, error, isRetryable, mayBeUnsigned, advice }) => {
    const kind = error === undefined ? "null" : `ErrorKind.${constantName(error.replace(/Error$/, ""))}`;
    return `    put(${quoteJava(code)}, ${kind}, ${isRetryable}, ${mayBeUnsigned},\n        ${quoteJava(advice)});`;
  });
  const body = `/** The facts about each result code: exception class, whether to retry, whether it may be unsigned, and what to do. */
public final class ResultCodes {
  private static final Map<String, CodeFacts> FACTS = new HashMap<>();

  static {
${rows.join("\n")}
  }

  private ResultCodes() {}

  /** Never null; returns default facts for a code that only a newer gateway has. */
  public static CodeFacts factsOf(String code) {
    return FACTS.getOrDefault(code, CodeFacts.UNKNOWN);
  }

  private static void put(String code, ErrorKind error, boolean isRetryable, boolean mayBeUnsigned, String advice) {
    FACTS.put(code, new CodeFacts(error, isRetryable, mayBeUnsigned, advice));
  }
}`;
  const imports = [
    `${packages.call}.CodeFacts`,
    `${packages.call}.ErrorKind`,
    "java.util.HashMap",
    "java.util.Map",
  ];
  return javaFile(packages.generated, "ResultCodes", imports, body);
}

function secretFieldsFile({ secrets }: Model): GeneratedFile {
  const body = `/** Fields that must never appear in a log. */
public final class SecretFields {
  public static final Set<String> NAMES = Set.of(
${secrets.map((name) => `      ${quoteJava(name)}`).join(",\n")});

  private SecretFields() {}
}`;
  return javaFile(packages.generated, "SecretFields", ["java.util.Set"], body);
}

const codesOnALine = 20;

function currenciesFile({ currencies }: Model): GeneratedFile {
  const lines = [...new Set(currencies.map(({ digits }) => digits))].flatMap((digits) => {
    const codes = currencies.filter((each) => each.digits === digits).map(({ code }) => code);
    const count = Math.ceil(codes.length / codesOnALine);
    return Array.from(
      { length: count },
      (_, index) =>
        `    put(${digits}, ${quoteJava(codes.slice(index * codesOnALine, (index + 1) * codesOnALine).join(" "))});`,
    );
  });
  const body = `/** The number of decimals of each currency. */
public final class Currencies {
  private static final Map<String, Integer> DIGITS = new HashMap<>();

  static {
${lines.join("\n")}
  }

  private Currencies() {}

  /** Null for an unknown currency. */
  public static Integer digitsOf(String code) {
    return DIGITS.get(code);
  }

  private static void put(int digits, String codes) {
    for (var code : codes.split(" ")) DIGITS.put(code, digits);
  }
}`;
  return javaFile(packages.generated, "Currencies", ["java.util.HashMap", "java.util.Map"], body);
}
