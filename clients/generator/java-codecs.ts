import type { GeneratedFile } from "./emitter.ts";
import { codecName, javaFile, packages, quoted } from "./java-text.ts";
import { javaName } from "./names.ts";
import type { Model } from "./model.ts";
import type { Field, ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

/** Generates plain Java code that reads and writes each type, without reflection at run time. */
export function javaCodecs({ types }: Model): GeneratedFile[] {
  return types.map(codecFile);
}

function codecFile({ name, fields }: ObjectType): GeneratedFile {
  const puts = fields.map((field) => `        ${putOf(field)}`);
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
${[...puts, "        .rest(it.unknownFields());"].join("\n")}
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
export function readOf({ name, type }: Field): string {
  const wire = quoted(name);
  switch (type.kind) {
    case "text":
    case "integer":
    case "number":
    case "anything":
      return `fields.${type.kind}(${wire})`;
    case "boolean":
      return `fields.flag(${wire})`;
    case "enum":
      return `${type.name}.of(fields.text(${wire}))`;
    case "object":
      return `fields.object(${wire}, ${codecName(type.name)}.CODEC)`;
    case "list":
      if (type.of.kind === "object") return `fields.objects(${wire}, ${codecName(type.of.name)}.CODEC)`;
      if (type.of.kind === "enum") return `fields.texts(${wire}, ${type.of.name}::of)`;
      if (type.of.kind === "text") return `fields.texts(${wire})`;
      return `fields.list(${wire}, ${elementReader(type.of)})`;
    case "map":
      return `fields.map(${wire}, ${elementReader(type.of)})`;
  }
}

/**
 * Returns the reader for simple elements of a list or map: all elements except objects, enums, and text in a
 * list.
 */
function elementReader(type: TypeReference): string {
  const simple: Partial<Record<TypeReference["kind"], string>> = {
    text: "Fields::asText",
    integer: "Fields::asInteger",
    boolean: "Fields::asFlag",
    anything: "Fields::asIs",
  };
  const reader = simple[type.kind];
  if (reader === undefined)
    throw new Error(`A list or map of ${type.kind} is not supported. Add a reader to java-codecs.ts.`);
  return reader;
}

function putOf(field: Field): string {
  const { name, type } = field;
  const [wire, value] = [quoted(name), `it.${javaName(field)}()`];
  if (type.kind === "object") return `.put(${wire}, ${value}, ${codecName(type.name)}.CODEC)`;
  if (type.kind !== "list") return `.put(${wire}, ${value})`;
  if (type.of.kind === "object") return `.putObjects(${wire}, ${value}, ${codecName(type.of.name)}.CODEC)`;
  return type.of.kind === "enum" ? `.putTexts(${wire}, ${value})` : `.put(${wire}, ${value})`;
}
