import { goName } from "./names.ts";
import type { OutcomeRow, PaymentOutcomes } from "./model.ts";
import type { ObjectType } from "./types-of-schemas.ts";
import { docstring, snake } from "./python-text.ts";

/**
 * The outcome properties of a payment in each library. All five languages use the one table of the document,
 * `x-payment-outcomes`. The rows become conditions in their order; if no row matches, the outcome is pending.
 */
const outcomeProperties = [
  ["isPaid", "PAID"],
  ["isAuthorized", "AUTHORIZED"],
  ["isPending", "PENDING"],
  ["isFailed", "FAILED"],
] as const;

/** How a language compares a column of the table. */
interface ConditionSyntax {
  readonly and: string;
  equal(column: string, value: string): string;
  absent(column: string): string;
}

function writeCondition(row: OutcomeRow, { and, equal, absent }: ConditionSyntax): string {
  return (["notifyType", "paymentStatus", "resultStatus", "hold"] as const)
    .flatMap((column) => {
      const value = row[column];
      if (value === undefined) return [];
      return [value === null ? absent(column) : equal(column, value)];
    })
    .join(and);
}

/**
 * The fields of a message that determine its outcome, in the order of the parameters; undefined for a missing
 * field.
 */
function listInputs<Text>({ fields }: ObjectType, write: (name: string) => Text): (Text | undefined)[] {
  return ["notifyType", "paymentStatus", "authExpiryTime", "authReleaseTime", "transactions"].map((name) =>
    fields.some((field) => field.name === name) ? write(name) : undefined,
  );
}

const outcomeDoc = "The outcome of a payment for the shop. Exactly one of these properties is true.";
const holdDoc = "The state of the authorization hold: NONE, HELD, CAPTURED (also in part) or RELEASED.";

export function writeTypescriptOutcomes(
  { rows, meanings, types }: PaymentOutcomes,
  all: readonly ObjectType[],
): string[] {
  const syntax: ConditionSyntax = {
    and: " && ",
    equal: (column, value) => `${column} === ${JSON.stringify(value)}`,
    absent: (column) => `${column} === undefined`,
  };
  const readers = types.map((type) => {
    const inputs = listInputs(findType(all, type), (name) => `body.${name}`);
    const [notifyType, paymentStatus, ...hold] = inputs.map((each) => each ?? "undefined");
    return `  ${type}: (body: ${type}): PaymentOutcome =>\n    asked(outcomeOf(${notifyType}, ${paymentStatus}, body.result?.resultStatus, holdOf(${hold.join(", ")}))),`;
  });
  return [
    `import type { ${["Transaction", ...types].sort().join(", ")} } from "./models.ts";`,
    `/** ${outcomeDoc} */\nexport interface PaymentOutcome {\n${outcomeProperties.map(([name, outcome]) => `  /** ${meanings[outcome]} */\n  readonly ${name}: boolean;`).join("\n")}\n}`,
    `type Outcome = ${outcomeProperties.map(([, outcome]) => JSON.stringify(outcome)).join(" | ")};`,
    `function outcomeOf(\n  notifyType: string | undefined,\n  paymentStatus: string | undefined,\n  resultStatus: string | undefined,\n  hold: string,\n): Outcome {\n${rows
      .map((row) => `  if (${writeCondition(row, syntax)}) return ${JSON.stringify(row.outcome)};`)
      .join("\n")}\n  return "PENDING";\n}`,
    [
      `/** ${holdDoc} */`,
      "function holdOf(\n  authExpiryTime: string | undefined,\n  authReleaseTime: string | undefined,\n  transactions: readonly Transaction[] | undefined,\n): string {",
      '  if (authExpiryTime === undefined) return "NONE";',
      "  const isCaptured = (each: Transaction): boolean =>",
      '    each.transactionType === "CAPTURE" && each.transactionStatus === "SUCCESS";',
      '  if (Array.isArray(transactions) && transactions.some(isCaptured)) return "CAPTURED";',
      '  return authReleaseTime === undefined ? "HELD" : "RELEASED";\n}',
    ].join("\n"),
    `function asked(outcome: Outcome): PaymentOutcome {\n  return {\n${outcomeProperties.map(([name, outcome]) => `    ${name}: outcome === ${JSON.stringify(outcome)},`).join("\n")}\n  };\n}`,
    `/** For each message type with an outcome, the function that reads it. */\nexport const outcomeOfType = {\n${readers.join("\n")}\n};`,
  ];
}

export function writePythonOutcomes({ rows }: PaymentOutcomes): string[] {
  const syntax: ConditionSyntax = {
    and: " and ",
    equal: (column, value) => `${snake(column)} == ${JSON.stringify(value)}`,
    absent: (column) => `${snake(column)} is None`,
  };
  const lines = rows.flatMap((row) => [
    "    if (",
    ...writeCondition(row, syntax)
      .split(" and ")
      .map((each, index) => `        ${index === 0 ? "" : "and "}${each}`),
    "    ):",
    `        return ${JSON.stringify(row.outcome)}`,
  ]);
  return [
    "from typing import Any",
    [
      "def outcome_of(",
      "    notify_type: str | None,",
      "    payment_status: str | None,",
      "    result: Any,",
      "    auth_expiry_time: str | None,",
      "    auth_release_time: str | None = None,",
      "    transactions: Any = None,",
      ") -> str:",
      '    result_status = getattr(result, "result_status", None)',
      "    hold = _hold_of(auth_expiry_time, auth_release_time, transactions)",
      ...lines,
      '    return "PENDING"',
    ].join("\n"),
    [
      "def _hold_of(",
      "    auth_expiry_time: str | None,",
      "    auth_release_time: str | None,",
      "    transactions: Any,",
      ") -> str:",
      ...docstring([holdDoc], "    "),
      "    if auth_expiry_time is None:",
      '        return "NONE"',
      "    for each in transactions if isinstance(transactions, tuple) else ():",
      '        kind = getattr(each, "transaction_type", None)',
      '        if kind == "CAPTURE" and getattr(each, "transaction_status", None) == "SUCCESS":',
      '            return "CAPTURED"',
      '    return "HELD" if auth_release_time is None else "RELEASED"',
    ].join("\n"),
  ];
}

/** The properties of a Python class, indented. */
export function writePythonOutcomeProperties({ meanings }: PaymentOutcomes, type: ObjectType): string[] {
  const [notifyType, paymentStatus, ...hold] = listInputs(type, (name) => `self.${snake(name)}`).map(
    (each) => each ?? "None",
  );
  const inputs = [notifyType, paymentStatus, "self.result", ...hold];
  return [
    "    def _outcome(self) -> str:",
    "        return outcome_of(",
    ...inputs.map((each) => `            ${each},`),
    "        )",
    ...outcomeProperties.flatMap(([name, outcome]) => [
      "",
      "    @property",
      `    def ${snake(name)}(self) -> bool:`,
      `        """${meanings[outcome]}"""`,
      `        return self._outcome() == ${JSON.stringify(outcome)}`,
    ]),
  ];
}

export function writeGoOutcomes({ rows }: PaymentOutcomes): string {
  const dialect: ConditionSyntax = {
    and: " && ",
    equal: (column, value) => `${column} == ${JSON.stringify(value)}`,
    absent: (column) => `${column} == ""`,
  };
  const cases = rows.map(
    (row) => `\tcase ${writeCondition(row, dialect)}:\n\t\treturn ${JSON.stringify(row.outcome)}\n`,
  );
  return `// outcomeOf returns the outcome of a payment from the fields of a message. Absent text is empty.
func outcomeOf(notifyType NotifyType, paymentStatus PaymentStatus, resultStatus ResultStatus, hold string) string {
	switch {
${cases.join("")}	}
	return "PENDING"
}

${`// ${holdDoc}`.replace("The state", "holdOf returns the state")}
func holdOf(authExpiryTime, authReleaseTime string, transactions []Transaction) string {
	if authExpiryTime == "" {
		return "NONE"
	}
	for _, each := range transactions {
		if each.TransactionType == "CAPTURE" && each.TransactionStatus == "SUCCESS" {
			return "CAPTURED"
		}
	}
	if authReleaseTime == "" {
		return "HELD"
	}
	return "RELEASED"
}`;
}

/** The methods of a Go struct. */
export function writeGoOutcomeMethods({ meanings }: PaymentOutcomes, type: ObjectType): string[] {
  const name = goName(type.name);
  const [notifyType, paymentStatus, expiry, release, transactions] = listInputs(
    type,
    (each) => `v.${goName(each)}`,
  );
  const hold = `holdOf(${expiry ?? '""'}, ${release ?? '""'}, ${transactions ?? "nil"})`;
  return [
    `func (v *${name}) outcome() string {\n\treturn outcomeOf(${notifyType ?? '""'}, ${paymentStatus ?? '""'}, v.Result.ResultStatus, ${hold})\n}`,
    ...outcomeProperties.map(
      ([property, outcome]) =>
        `// ${goName(property)} reports whether the outcome is ${outcome}. ${meanings[outcome]}\nfunc (v *${name}) ${goName(property)}() bool {\n\treturn v.outcome() == ${JSON.stringify(outcome)}\n}`,
    ),
  ];
}

/** The body of the Java class; it uses `List`, `OpenText`, `Result` and `Transaction`. */
export function writeJavaOutcomes({ rows }: PaymentOutcomes): string {
  const dialect: ConditionSyntax = {
    and: " && ",
    equal: (column, value) => `is(${column}, ${JSON.stringify(value)})`,
    absent: (column) => `${column} == null`,
  };
  const lines = rows.map(
    (row) => `    if (${writeCondition(row, dialect)}) return ${JSON.stringify(row.outcome)};`,
  );
  return `/** Reads the outcome of a payment from the fields of a message. */
public final class PaymentOutcomes {
  private PaymentOutcomes() {}

  public static String outcomeOf(
      OpenText notifyType, OpenText paymentStatus, Result result, String hold) {
    var resultStatus = result == null ? null : result.resultStatus();
${lines.join("\n")}
    return "PENDING";
  }

  /** ${holdDoc} */
  public static String holdOf(
      String authExpiryTime, String authReleaseTime, List<Transaction> transactions) {
    if (authExpiryTime == null) return "NONE";
    if (transactions != null && transactions.stream().anyMatch(PaymentOutcomes::isCaptured)) return "CAPTURED";
    return authReleaseTime == null ? "HELD" : "RELEASED";
  }

  private static boolean isCaptured(Transaction each) {
    return is(each.transactionType(), "CAPTURE") && is(each.transactionStatus(), "SUCCESS");
  }

  private static boolean is(OpenText value, String text) {
    return value != null && value.text().equals(text);
  }

  private static boolean is(String value, String text) {
    return value.equals(text);
  }
}`;
}

/** The methods of a Java class. */
export function writeJavaOutcomeMethods({ meanings }: PaymentOutcomes, type: ObjectType): string[] {
  const [notifyType, paymentStatus, ...hold] = listInputs(type, (name) => name).map((each) => each ?? "null");
  return [
    `  private String outcome() {\n    return PaymentOutcomes.outcomeOf(\n        ${notifyType}, ${paymentStatus}, result, PaymentOutcomes.holdOf(${hold.join(", ")}));\n  }`,
    ...outcomeProperties.map(([name, outcome]) => {
      const isOverride = type.role === "response" && name === "isPending";
      return `  /** ${meanings[outcome]} */\n${isOverride ? "  @Override\n" : ""}  public boolean ${name}() {\n    return outcome().equals(${JSON.stringify(outcome)});\n  }`;
    }),
  ];
}

/** The body of the PHP class. */
export function writePhpOutcomes({ rows }: PaymentOutcomes): string {
  const dialect: ConditionSyntax = {
    and: " && ",
    equal: (column, value) => `$${column} === '${value}'`,
    absent: (column) => `$${column} === null`,
  };
  const lines = rows.map((row) => `            ${writeCondition(row, dialect)} => '${row.outcome}',`);
  return `/**
 * Reads the outcome of a payment from the fields of a message.
 *
 * @internal
 */
final class PaymentOutcomes
{
    public static function of(?string $notifyType, ?string $paymentStatus, ?string $resultStatus, string $hold): string
    {
        return match (true) {
${lines.join("\n")}
            default => 'PENDING',
        };
    }

    /**
     * ${holdDoc}
     *
     * @param list<Transaction>|null $transactions
     */
    public static function hold(?string $authExpiryTime, ?string $authReleaseTime, ?array $transactions): string
    {
        if ($authExpiryTime === null) {
            return 'NONE';
        }
        foreach ($transactions ?? [] as $each) {
            if ($each->transactionType === 'CAPTURE' && $each->transactionStatus === 'SUCCESS') {
                return 'CAPTURED';
            }
        }
        return $authReleaseTime === null ? 'HELD' : 'RELEASED';
    }
}`;
}

/** The methods of a PHP class. */
export function writePhpOutcomeMethods({ meanings }: PaymentOutcomes, type: ObjectType): string {
  const [notifyType, paymentStatus, ...hold] = listInputs(type, (name) => `$this->${name}`).map(
    (each) => each ?? "null",
  );
  const methods = outcomeProperties.map(
    ([name, outcome]) =>
      `    /** ${meanings[outcome]} */\n    public function ${name}(): bool\n    {\n        return $this->outcome() === '${outcome}';\n    }`,
  );
  const outcome = `    private function outcome(): string\n    {\n        $hold = PaymentOutcomes::hold(${hold.join(", ")});\n        return PaymentOutcomes::of(${notifyType}, ${paymentStatus}, $this->result->resultStatus, $hold);\n    }`;
  return [...methods, outcome].join("\n\n");
}

function findType(all: readonly ObjectType[], name: string): ObjectType {
  const type = all.find((each) => each.name === name);
  if (!type) throw new Error(`The model has no type ${name}.`);
  return type;
}
