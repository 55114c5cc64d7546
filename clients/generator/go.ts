import type { Emitter, GeneratedFile } from "./emitter.ts";
import { goAreas } from "./go-areas.ts";
import { goEnums, goModels } from "./go-models.ts";
import { comment, goFile, goList, goQuoted } from "./go-text.ts";
import { goName } from "./names.ts";
import { writeGoOutcomes } from "./payment-outcomes.ts";
import { packageNames } from "../package-names.ts";
import type { Model } from "./model.ts";

/** The minimum Go version: the first in which encoding/json supports `omitzero`. */
const goVersion = "1.24";

/** Generates one Go package with structs, areas and facts. The package imports only the standard library. */
export const go: Emitter = {
  language: "go",
  callOf: (area, operation) => `client.${goName(area)}.${goName(operation)}(ctx, …)`,
  emit: (model) => [
    { path: "go/go.mod", text: `module ${packageNames.go}\n\ngo ${goVersion}\n` },
    goFile("generated_models.go", ["encoding/json", "log/slog", "reflect"], goModels(model)),
    goFile("generated_enums.go", [], goEnums(model)),
    goFile("generated_areas.go", ["context"], goAreas(model)),
    goFile("generated_facts.go", [], factsOf(model)),
    conformanceModelsFile(model),
  ],
};

function factsOf(model: Model): string[] {
  return [
    operationFacts(model),
    secretFields(model),
    codeFacts(model),
    notifications(model),
    currencies(model),
    writeGoOutcomes(model.outcomes),
  ];
}

function operationFacts({ areas }: Model): string {
  const cases = areas
    .flatMap(({ operations }) => operations)
    .map(({ path, isRepeatable, idempotencyField }) => {
      const field = idempotencyField === undefined ? "" : `, idempotencyField: ${goQuoted(idempotencyField)}`;
      return `\tcase ${goQuoted(path)}:\n\t\treturn operationFacts{isRepeatable: ${isRepeatable}${field}}\n`;
    });
  return `// operationFacts has the facts that the library needs about an operation.
type operationFacts struct {
	// isRepeatable reports whether the library may retry the request when its outcome is unknown.
	isRepeatable     bool
	idempotencyField string
}

// operationFactsOf returns empty facts for an operation that only a newer gateway has.
func operationFactsOf(path string) operationFacts {
	switch path {
${cases.join("")}	}
	return operationFacts{}
}`;
}

function secretFields({ secrets }: Model): string {
  return `// isSecretField reports whether a field must never appear in a log.
func isSecretField(name string) bool {
	switch name {
	case ${secrets.map(goQuoted).join(",\n\t\t")}:
		return true
	}
	return false
}`;
}

/** Returns the name of an error kind in Go: `DeclinedError` of the other languages is `ErrDeclined`. */
const kindOf = (error: string): string => `Err${error.replace(/Error$/, "")}`;

function codeFacts({ resultCodes }: Model): string {
  const cases = resultCodes.map(({ code, error, isRetryable, mayBeUnsigned, advice }) => {
    const facts = [
      ...(error === undefined ? [] : [`kind: ${kindOf(error)}`]),
      ...(isRetryable ? ["isRetryable: true"] : []),
      ...(mayBeUnsigned ? ["mayBeUnsigned: true"] : []),
      `advice: ${goQuoted(advice)}`,
    ];
    return `\tcase ${goQuoted(code)}:\n\t\treturn codeFacts{${facts.join(", ")}}\n`;
  });
  return `// codeFacts has the facts that this version of the library knows about a result code.
type codeFacts struct {
	// kind is the error that errors.Is matches; nil if the code is not an error.
	kind        error
	isRetryable bool
	// mayBeUnsigned reports whether the gateway may return the code before it authenticates the client, and
	// so without a signature.
	mayBeUnsigned bool
	advice        string
}

func codeFactsOf(code ResultCode) codeFacts {
	switch code {
${cases.join("")}	}
	return codeFacts{}
}`;
}

function notifications(model: Model): string {
  const rows = model.notifications.map(
    ({ kind, type, notifyTypes, requiredFields, subjectField = "" }) => `\t\t{
			kind:           ${goQuoted(kind)},
			notifyTypes:    ${goList(notifyTypes)},
			requiredFields: ${goList(requiredFields)},
			subjectField:   ${goQuoted(subjectField)},
			newBody:        func() NotificationBody { return &${goName(type)}{} },
		},
`,
  );
  return `// knownNotifications has, for each kind of webhook, the fields that identify it.
func knownNotifications() []notificationFacts {
	return []notificationFacts{
${rows.join("")}	}
}`;
}

function currencies({ currencies: allCurrencies }: Model): string {
  const digits = [...new Set(allCurrencies.map((currency) => currency.digits))];
  const cases = digits.map((each) => {
    const codes = allCurrencies
      .filter((currency) => currency.digits === each)
      .map(({ code }) => goQuoted(code));
    const lines = Array.from({ length: Math.ceil(codes.length / 14) }, (_, index) =>
      codes.slice(index * 14, index * 14 + 14).join(", "),
    );
    return `\tcase ${lines.join(",\n\t\t")}:\n\t\treturn ${each}, true\n`;
  });
  return `// minorDigits returns the number of decimals of a currency.
func minorDigits(currency string) (int, bool) {
	switch currency {
${cases.join("")}	}
	return 0, false
}`;
}

/** Maps type names to types for the conformance cases, because Go cannot find a type by its name. */
function conformanceModelsFile({ types }: Model): GeneratedFile {
  const cases = types.map(
    ({ name }) => `\tcase ${goQuoted(name)}:\n\t\treturn new(tollgate.${goName(name)})\n`,
  );
  const { text } = goFile(
    "",
    [packageNames.go],
    [
      `${comment("modelNamed returns an empty value of the type with this name.")}func modelNamed(name string) any {\n\tswitch name {\n${cases.join("")}\t}\n\treturn nil\n}`,
    ],
  );
  return {
    path: "conformance/go/generated_models.go",
    text: text.replace("package tollgate", "package main"),
  };
}
