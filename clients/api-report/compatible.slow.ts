import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import type { Emitter, GeneratedFile } from "../generator/emitter.ts";
import { go } from "../generator/go.ts";
import { java } from "../generator/java.ts";
import { buildModel } from "../generator/model.ts";
import type { Document, Schema } from "../generator/openapi-document.ts";
import { php } from "../generator/php.ts";
import { python } from "../generator/python.ts";
import { typescript } from "../generator/typescript.ts";
import { responseOnlyTypes } from "../generator/request-types.ts";
import { compileJava, javaApiOf, libraries, runProgram } from "./libraries.ts";
import { changesBetween, reportOf, type Changes } from "./report.ts";

/**
 * Tests compatible changes of the API within a major version with each library. A new optional field in a
 * response and in a request must not break a program, and a removed field must be found. Old programs are
 * compiled and run against newly generated libraries.
 */
const clients = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "tollgate-compatible-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const emitters: Readonly<Record<string, Emitter>> = { typescript, java, php, python, go };
const readDocument = (): Document =>
  JSON.parse(readFileSync(join(clients, "../server/openapi.json"), "utf8")) as Document;
const currentModel = buildModel(readDocument());
const readOnly = responseOnlyTypes(currentModel);
const currentClasses = join(folder, "java/today");

/** The generated files of each variant: the API document with one change. */
const variants = {
  added: buildModel(
    changeDocument((fields) => ({
      ...fields,
      somethingNew: { type: "string", description: "Something new." },
    })),
  ),
  removed: buildModel(changeDocument((fields) => omitFields(fields, ["sequence", "orderDescription"]))),
};
type Variant = keyof typeof variants;

before(async () => {
  const sources = join(clients, "java");
  await libraries["java"]?.({ home: sources, out: currentClasses, readOnly });
});

for (const [language, apiOf] of Object.entries(libraries)) {
  test(`${language}: the report is up to date`, async () => {
    const out = mkdtempSync(join(folder, `${language}-today-`));
    const lines =
      language === "java"
        ? await javaApiOf(currentClasses)
        : await apiOf({ home: join(clients, language), out, readOnly });
    assert.equal(
      reportOf(language, lines) === readCommittedReport(language),
      true,
      "Run `npm run api:report`.",
    );
  });

  test(`${language}: a new optional field is compatible`, async () => {
    const { breaks, additions } = await compareVariant(language, "added");
    assert.deepEqual(breaks, []);
    for (const type of ["PayResponse", "Order"])
      assert.ok(
        additions.some((line) => line.includes(type) && /something_?new/i.test(line)),
        `nothing new in ${type}`,
      );
  });

  test(`${language}: a removed field is found`, async () => {
    const { breaks } = await compareVariant(language, "removed");
    assert.ok(breaks.some((line) => line.includes("PayResponse") && /sequence/i.test(line)));
    assert.ok(breaks.some((line) => line.includes("Order") && /order_?description/i.test(line)));
  });
}

const javaProgram = `
import io.tollgate.model.*;

public class Shop {
  public static void main(String[] words) {
    var amount = Amount.builder().currency("EUR").value("1250").build();
    var order = Order.builder().referenceOrderId("o-1").orderDescription("Coffee").orderAmount(amount).build();
    var paid = PayResponse.builder().paymentId("1").sequence(7).build();
    if (!paid.equals(paid.toBuilder().build())) throw new AssertionError();
    System.out.println(paid.sequence() + " " + order.orderDescription());
  }
}
`;

test("java: a program compiled with the old library runs with the new one", async () => {
  const program = join(folder, "Shop.java");
  writeFileSync(program, javaProgram);
  await compileJava([program], join(folder, "program"), currentClasses);
  const runWith = (library: string): Promise<string> =>
    runProgram("java", ["-cp", [join(folder, "program"), library].join(":"), "Shop"]);
  assert.equal(await runWith(currentClasses), "7 Coffee\n");
  assert.equal(await runWith(await compileVariantOnce("added")), "7 Coffee\n");
  await assert.rejects(runWith(await compileVariantOnce("removed")), /NoSuchMethodError/);
});

const typescriptProgram = `
import { Tollgate, type PayRequest, type PayResponse, type Transport } from "./src/generated/package.ts";

const transport: Transport = async () => ({ status: 200, headers: {}, body: new Uint8Array() }) as never;
const amount = { currency: "EUR", value: "1250" };
const order = { referenceOrderId: "o-1", orderDescription: "Coffee", orderAmount: amount };
async function pay(request: PayRequest): Promise<string | number | undefined> {
  const answer: PayResponse = await new Tollgate({ transport }).payments.pay({ ...request, order });
  return answer.sequence ?? request.order?.orderDescription;
}
void pay;
`;

test("typescript: a program that compiles with the old library compiles with the new one", async () => {
  await typecheck(await copyLibrary("typescript", []));
  await typecheck(await copyLibrary("typescript", generateChangedFiles("typescript", "added")));
  await assert.rejects(
    copyLibrary("typescript", generateChangedFiles("typescript", "removed")).then(typecheck),
    ({ stdout }: { stdout: string }) =>
      /'sequence' does not exist/.test(stdout) && /orderDescription/.test(stdout),
  );
});

async function typecheck(home: string): Promise<void> {
  writeFileSync(join(home, "shop.ts"), typescriptProgram);
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin/tsc",
  );
  const types = join(clients, "../node_modules/@types");
  const settings = {
    extends: "./tsconfig.build.json",
    compilerOptions: {
      module: "esnext",
      moduleResolution: "bundler",
      noEmit: true,
      rootDir: ".",
      typeRoots: [types],
    },
    files: ["shop.ts"],
  };
  writeFileSync(join(home, "tsconfig.json"), JSON.stringify(settings));
  await runProgram(process.execPath, [compiler, "--project", home]);
}

function readCommittedReport(language: string): string {
  return readFileSync(join(clients, language, "api-report.txt"), "utf8");
}

async function compareVariant(language: string, variant: Variant): Promise<Changes> {
  const out = mkdtempSync(join(folder, `${language}-${variant}-`));
  const home =
    language === "java" ? "" : await copyLibrary(language, generateChangedFiles(language, variant));
  const lines =
    language === "java"
      ? await javaApiOf(await compileVariantOnce(variant))
      : await libraries[language]?.({ home, out, readOnly });
  return changesBetween(readCommittedReport(language), reportOf(language, lines ?? []));
}

/** Copies a library, replaces some of its files, and returns the copy's folder. */
async function copyLibrary(language: string, files: readonly GeneratedFile[]): Promise<string> {
  const home = mkdtempSync(join(folder, `${language}-home-`));
  cpSync(join(clients, language), home, {
    recursive: true,
    filter: (path) => !/\/(?:dist|target|examples|node_modules|tests)$/.test(path),
  });
  for (const { path, text } of files) writeFileSync(join(home, path.slice(language.length + 1)), text);
  return home;
}

const compiled = new Map<Variant, Promise<string>>();

function compileVariantOnce(variant: Variant): Promise<string> {
  const classesOfVariant = compiled.get(variant) ?? compileVariant(variant);
  compiled.set(variant, classesOfVariant);
  return classesOfVariant;
}

/** Compiles only the changed files. */
async function compileVariant(variant: Variant): Promise<string> {
  const out = mkdtempSync(join(folder, `java-${variant}-`));
  cpSync(currentClasses, out, { recursive: true });
  const sources = mkdtempSync(join(folder, "java-sources-"));
  const files = generateChangedFiles("java", variant).map(({ path, text }) => {
    const file = join(sources, path.split("/").at(-1) ?? "");
    writeFileSync(file, text);
    return file;
  });
  await compileJava(files, out);
  return out;
}

/** The generated files that differ from the current ones. */
function generateChangedFiles(language: string, variant: Variant): GeneratedFile[] {
  const emit = emitters[language]?.emit ?? ((): GeneratedFile[] => []);
  const currentTexts = new Map(emit(currentModel).map(({ path, text }) => [path, text]));
  const files = emit(variants[variant]).filter(
    ({ path, text }) => path.startsWith(`${language}/`) && currentTexts.get(path) !== text,
  );
  assert.ok(files.length > 0, `${language}: nothing has changed`);
  return files;
}

type Fields = Readonly<Record<string, Schema>>;

/** The document with changed fields in the response of `pay`, and in its order. */
function changeDocument(change: (fields: Fields) => Fields): Document {
  const document = readDocument();
  const pay = document.paths["/payments/pay"]?.post;
  const answer = pay?.responses["200"]?.content?.["application/json"]?.schema;
  assert.ok(answer);
  const orders = schemasIn(document).filter(({ properties }) => properties?.["orderDescription"]);
  for (const schema of new Set([answer, ...orders]))
    Object.assign(schema, {
      properties: change(schema.properties ?? {}),
      required: (schema.required ?? []).filter((name) => name in change(schema.properties ?? {})),
    });
  return document;
}

function schemasIn(value: unknown): Schema[] {
  if (typeof value !== "object" || value === null) return [];
  const nested = Object.values(value).flatMap(schemasIn);
  return "properties" in value ? [value as Schema, ...nested] : nested;
}

function omitFields(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
