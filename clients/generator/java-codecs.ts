import type { GeneratedFile } from "./emitter.ts";
import { codecName, javaFile, packages, quoteJava } from "./java-text.ts";
import { javaName } from "./names.ts";
import type { Model } from "./model.ts";
import type { Field, ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

/** Generates plain Java code that reads and writes each type, without reflection at run time. */
export function javaCodecs({ types }: Model): GeneratedFile[] {
  return types.map(codecFile);
}

function codecFile({ name, fields }: ObjectType): GeneratedFile {
  const putCalls = fields.map((field) => `        ${writeFieldPut(field)}`);
  const body = `public final class ${codecName(name)} implements Codec<${name}> {
  public static final ${codecName(name)} CODEC = new ${codecName(name)}();

  private ${codecName(name)}() {}

  @Override
  public ${name} read(Fields fields) {
    return ${name}.fromFields(fields);
  }

  @Override
${fields.some(({ deprecated }) => deprecated !== undefined) ? '  @SuppressWarnings("deprecation")\n' : ""}  public Map<String, Object> write(${name} it) {
    return new Writing()
${[...putCalls, "        .rest(it.unknownFields());"].join("\n")}
  }
}`;
  const imports = [
    `${packages.model}.${name}`,
    `${packages.json}.Codec`,
    `${packages.json}.Fields`,
    `${packages.json}.Writing`,
    "java.util.Map",
  ];
  return javaFile(packages.codec, codecName(name), imports, body);
}

/** The expression that reads a field from parsed JSON. */
export function writeFieldReader({ name, type }: Field): string {
  const wireName = quoteJava(name);
  switch (type.kind) {
    case "text":
    case "integer":
    case "number":
    case "anything":
      return `fields.${type.kind}(${wireName})`;
    case "boolean":
      return `fields.flag(${wireName})`;
    case "enum":
      return `${type.name}.of(fields.text(${wireName}))`;
    case "object":
      return `fields.object(${wireName}, ${codecName(type.name)}.CODEC)`;
    case "list":
      if (type.of.kind === "object") return `fields.objects(${wireName}, ${codecName(type.of.name)}.CODEC)`;
      if (type.of.kind === "enum") return `fields.texts(${wireName}, ${type.of.name}::of)`;
      if (type.of.kind === "text") return `fields.texts(${wireName})`;
      return `fields.list(${wireName}, ${elementReader(type.of)})`;
    case "map":
      return `fields.map(${wireName}, ${elementReader(type.of)})`;
  }
}

/**
 * Returns the reader for simple elements of a list or map: all elements except objects, enums, and text in a
 * list.
 */
function elementReader(type: TypeReference): string {
  const readersByKind: Partial<Record<TypeReference["kind"], string>> = {
    text: "Fields::asText",
    integer: "Fields::asInteger",
    boolean: "Fields::asFlag",
    anything: "Fields::asIs",
  };
  const reader = readersByKind[type.kind];
  if (reader === undefined)
    throw new Error(`A list or map of ${type.kind} is not supported. Add a reader to java-codecs.ts.`);
  return reader;
}

function writeFieldPut(field: Field): string {
  const { name, type } = field;
  const [wireName, value] = [quoteJava(name), `it.${javaName(field)}()`];
  if (type.kind === "object") return `.put(${wireName}, ${value}, ${codecName(type.name)}.CODEC)`;
  if (type.kind !== "list") return `.put(${wireName}, ${value})`;
  if (type.of.kind === "object")
    return `.putObjects(${wireName}, ${value}, ${codecName(type.of.name)}.CODEC)`;
  return type.of.kind === "enum" ? `.putTexts(${wireName}, ${value})` : `.put(${wireName}, ${value})`;
}
