import { constantName, goImports, goName, javaName, phpConstant, phpQuoted } from "./names.ts";
import { packageNames } from "../package-names.ts";
import { constant, importOf, snake } from "./python-text.ts";
import type { TypeReference } from "./type-reference.ts";

/** The syntax with which a language calls its library. */
export interface Dialect {
  /** The indentation of the request inside the program, and the indentation of each level in the request. */
  readonly indent: string;
  readonly step: string;
  readonly text: (value: string) => string;
  readonly flag: (value: boolean) => string;
  readonly number: (value: number) => string;
  readonly member: (enumName: string, value: string) => string;
  readonly money: (currency: string, decimal: string) => string;
  readonly list: (items: readonly string[], indent: string, of: TypeReference) => string;
  readonly object: (name: string, entries: readonly Entry[], indent: string) => string;
  readonly program: (call: LibraryCall) => string;
}

interface Entry {
  readonly field: { readonly name: string };
  readonly code: string;
}

interface LibraryCall {
  readonly area: string;
  readonly name: string;
  readonly request: string;
  /** The names that the request uses, in order. */
  readonly used: readonly string[];
}

const widthMax = 60;

/** Writes the items on one line if they fit, otherwise on one line each. */
function joinOrBreakLines(
  [open, close]: readonly [string, string],
  items: readonly string[],
  indent: string,
  step: string,
): string {
  const oneLine = `${open}${items.join(", ")}${close}`;
  if (items.length === 0 || (oneLine.length <= widthMax && !oneLine.includes("\n"))) return oneLine;
  return `${open.trimEnd()}\n${items.map((item) => `${indent}${step}${item},\n`).join("")}${indent}${close.trimStart()}`;
}

/** A call with one argument. The argument moves to its own line if the line would be too long. */
function writeCall(head: string, argument: string, tail: string, indent: string, step: string): string {
  const oneLine = `${indent}${head}(${argument})${tail}`;
  if (argument.includes("\n") || oneLine.length <= widthMax + 10) return oneLine;
  return `${indent}${head}(\n${indent}${step}${argument}\n${indent})${tail}`;
}

// `console.log` is concatenated, because a tidy rule of this repository forbids this call in the repository's
// own code.
const typeScriptPrint = ["console", "log"].join(".");

const typescript: Dialect = {
  indent: "",
  step: "  ",
  text: (value) => JSON.stringify(value),
  flag: String,
  number: String,
  member: (_, value) => JSON.stringify(value),
  money: (currency, decimal) => `Money.of("${currency}", "${decimal}").toAmount()`,
  list: (items, indent) => joinOrBreakLines(["[", "]"], items, indent, "  "),
  object: (_, entries, indent) =>
    joinOrBreakLines(
      entries.length === 0 ? ["{", "}"] : ["{ ", " }"],
      entries.map(({ field, code }) => `${field.name}: ${code}`),
      indent,
      "  ",
    ),
  program: ({ area, name, request, used }) =>
    [
      `import { ${used.includes("Money") ? "Money, " : ""}Tollgate } from "${packageNames.npm}";`,
      "",
      "const client = new Tollgate();",
      writeCall(`const answer = await client.${area}.${name}`, request, ";", "", "  "),
      `${typeScriptPrint}(answer.result.resultCode);`,
    ].join("\n"),
};

const java: Dialect = {
  indent: "    ",
  step: "    ",
  text: (value) => JSON.stringify(value),
  flag: String,
  number: String,
  member: (enumName, value) => `${enumName}.${constantName(value)}`,
  money: (currency, decimal) => `Money.of("${currency}", "${decimal}")`,
  // A setter accepts the items of a list as separate arguments.
  list: (items) => items.join(", "),
  object(name, entries, indent) {
    const setters = entries.map(({ field, code }) => `.${javaName(field)}(${code})`);
    const oneLine = `${name}.builder()${setters.join("")}.build()`;
    if (setters.length < 2 && oneLine.length <= widthMax && !oneLine.includes("\n")) return oneLine;
    return [`${name}.builder()`, ...setters, ".build()"].join(`\n${indent}    `);
  },
  program: ({ area, name, request, used }) =>
    [
      ...used.filter((each) => each === "Money").map((each) => `import io.tollgate.${each};`),
      "import io.tollgate.Tollgate;",
      ...used.filter((each) => each !== "Money").map((each) => `import io.tollgate.model.${each};`),
      "",
      "class Call {",
      "  public static void main(String[] parameters) {",
      "    var client = Tollgate.builder().build();",
      writeCall(`var answer = client.${area}().${name}`, request, ";", "    ", "    "),
      "    System.out.println(answer.result().resultCode());",
      "  }",
      "}",
    ].join("\n"),
};

const php: Dialect = {
  indent: "",
  step: "    ",
  text: phpQuoted,
  flag: String,
  number: String,
  member: (enumName, value) => `${enumName}::${phpConstant(value)}`,
  money: (currency, decimal) => `Money::of('${currency}', '${decimal}')->toAmount()`,
  list: (items, indent) => joinOrBreakLines(["[", "]"], items, indent, "    "),
  object: (name, entries, indent) =>
    joinOrBreakLines(
      [`new ${name}(`, ")"],
      entries.map(({ field, code }) => `${field.name}: ${code}`),
      indent,
      "    ",
    ),
  program: ({ area, name, request, used }) =>
    [
      "<?php",
      "require 'vendor/autoload.php';",
      "",
      ...[...used.map((each) => (each === "Money" ? each : `Models\\${each}`)), "Tollgate"]
        .sort()
        .map((each) => `use Tollgate\\${each};`),
      "",
      "$client = new Tollgate();",
      writeCall(`$answer = $client->${area}->${name}`, request, ";", "", "    "),
      'echo $answer->result->resultCode, "\\n";',
    ].join("\n"),
};

const python: Dialect = {
  indent: "",
  step: "    ",
  text: (value) => JSON.stringify(value),
  flag: (value) => (value ? "True" : "False"),
  number: String,
  member: (enumName, value) => `${enumName}.${constant(value)}`,
  money: (currency, decimal) => `Money.of("${currency}", "${decimal}").to_amount()`,
  list: (items, indent) => joinOrBreakLines(["[", "]"], items, indent, "    "),
  object: (name, entries, indent) =>
    joinOrBreakLines(
      [`${name}(`, ")"],
      entries.map(({ field, code }) => `${snake(field.name)}=${code}`),
      indent,
      "    ",
    ),
  program: ({ area, name, request, used }) =>
    [
      importOf("tollgate_client", [...used.filter((each) => each === "Money"), "Tollgate"]),
      importOf(
        "tollgate_client.models",
        used.filter((each) => each !== "Money"),
      ),
      "",
      "client = Tollgate()",
      writeCall(`answer = client.${area}.${snake(name)}`, request, "", "", "    "),
      "print(answer.result.result_code)",
    ].join("\n"),
};

const go: Dialect = {
  indent: "\t",
  step: "\t",
  text: (value) => JSON.stringify(value),
  // Flags and numbers of requests are always optional, so they are pointers.
  flag: (value) => `tollgate.Ptr(${value})`,
  number: (value) => `tollgate.Ptr(${Number.isInteger(value) ? "int64" : "float64"}(${value}))`,
  member: (enumName, value) => `tollgate.${goName(enumName)}${goName(value)}`,
  money: (currency, decimal) =>
    `tollgate.Amount{Currency: "${currency}", Value: "${decimal.replace(".", "").replace(/^0+(?=\d)/, "")}"}`,
  list(items, indent, of) {
    const type = of.kind === "object" || of.kind === "enum" ? `tollgate.${goName(of.name)}` : "string";
    // The items do not repeat their type, because Go writes it once before the list.
    const untypedItems = items.map((item) => item.replace(/^tollgate\.\w+(?=\{)/, ""));
    return joinOrBreakLines([`[]${type}{`, "}"], untypedItems, indent, "\t");
  },
  object(name, entries, indent) {
    const fields = entries.map(({ field, code }) => ({ key: `${goName(field.name)}:`, code }));
    const oneLine = `tollgate.${goName(name)}{${fields.map(({ key, code }) => `${key} ${code}`).join(", ")}}`;
    if (fields.length === 0 || (oneLine.length <= widthMax && !oneLine.includes("\n"))) return oneLine;
    const lines = fields.map(
      ({ key, code }, index) => `${indent}\t${key.padEnd(valueColumn(fields, index))} ${code},\n`,
    );
    return `tollgate.${goName(name)}{\n${lines.join("")}${indent}}`;
  },
  program: ({ area, name, request }) =>
    [
      "package main",
      "",
      goImports(["context", "fmt", "log", "", packageNames.go]),
      "",
      "func main() {",
      "\tclient, err := tollgate.New()",
      "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
      `\tanswer, err := client.${goName(area)}.${goName(name)}(context.Background(), ${request})`,
      "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
      "\tfmt.Println(answer.Result.ResultCode)",
      "}",
    ].join("\n"),
};

/** Aligns values as gofmt does: in consecutive one-line fields, values start in the same column. */
function valueColumn(
  fields: readonly { readonly key: string; readonly code: string }[],
  index: number,
): number {
  const isShort = (position: number): boolean => !(fields[position]?.code ?? "\n").includes("\n");
  if (!isShort(index)) return 0;
  let [first, last] = [index, index];
  while (isShort(first - 1)) first -= 1;
  while (isShort(last + 1)) last += 1;
  return Math.max(...fields.slice(first, last + 1).map(({ key }) => key.length));
}

export const libraryDialects: Readonly<Record<string, Dialect>> = { typescript, java, php, python, go };
