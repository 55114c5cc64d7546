import { describeField } from "./field-doc.ts";
import type { GeneratedFile } from "./emitter.ts";
import { builderImports, builderMethods, writeBuilder } from "./java-builders.ts";
import { writeFieldReader } from "./java-codecs.ts";
import {
  codecName,
  importsOf,
  javadoc,
  javaDeprecation,
  javaFile,
  javaType,
  joinOrBreakLines,
  packages,
  quoteJava,
} from "./java-text.ts";
import { constantName, javaName } from "./names.ts";
import { writeJavaOutcomeMethods } from "./payment-outcomes.ts";
import type { Model } from "./model.ts";
import type { EnumType, Field, ObjectType } from "./types-of-schemas.ts";
import { createTypeDescriber } from "./type-doc.ts";
import type { TypeReference } from "./type-reference.ts";
import { collectObjectNames, typesInRequests } from "./request-types.ts";

/**
 * Final classes with accessors and builders for requests, responses and webhooks: a new field is a compatible
 * change.
 */
export function javaModels(model: Model): GeneratedFile[] {
  const sendableTypes = typesInRequests(model);
  const docs = createTypeDescriber(model, (area, name) => `client.${area}().${name}`);
  return [
    ...model.enums.map(enumFile),
    ...model.types.map((type) => {
      const hasOutcome = model.outcomes.types.includes(type.name);
      const outcomeMethods = hasOutcome ? writeJavaOutcomeMethods(model.outcomes, type) : [];
      return classFile(type, docs(type), sendableTypes.has(type.name), outcomeMethods);
    }),
    notificationBody(model),
  ];
}

function enumFile({ name, values, meanings }: EnumType): GeneratedFile {
  const constants = values.map(
    (value) =>
      javadoc(meanings[value] ?? "", [], "  ") +
      `  public static final ${name} ${constantName(value)} = new ${name}(${quoteJava(value)});`,
  );
  const body = `/** Known values. A value that only a newer gateway has is kept unchanged. */
public final class ${name} extends OpenText {
${constants.join("\n")}

  private ${name}(String text) {
    super(text);
  }

  /** The constant for this text, or a new value if the text is unknown. Null for null. */
  public static ${name} of(String text) {
    return text == null ? null : new ${name}(text);
  }
}`;
  return javaFile(packages.model, name, [`${packages.base}.OpenText`], body);
}

function classFile(
  type: ObjectType,
  doc: string,
  isSendable: boolean,
  outcomeMethods: readonly string[],
): GeneratedFile {
  const { name, fields, role } = type;
  const isResponse = role === "response";
  const members = [
    variablesOf(type),
    constructorOf(type),
    `${writeFieldsReader(type)}\n\n${builderMethods(type)}`,
    ...accessorsOf(type),
    ...outcomeMethods,
    ...(role === "part" ? [] : [jsonMethods(name)]),
    equalityOf(type),
    toStringOf(name),
    writeBuilder(type, isSendable),
  ];
  const imports = [
    `${packages.codec}.${codecName(name)}`,
    `${packages.json}.Fields`,
    `${packages.json}.Immutable`,
    "java.util.Map",
    "java.util.Objects",
    ...fields.flatMap((field) => [...importsOf(field.type), ...codecsIn(field.type)]),
    ...(isResponse ? [`${packages.base}.Answer`, `${packages.base}.CallFacts`] : []),
    ...builderImports(type, isSendable),
    ...(outcomeMethods.length > 0 ? [`${packages.generated}.PaymentOutcomes`] : []),
  ];
  const text = javadoc(doc);
  const head = `public final class ${name}${interfaceOf(type)} {`;
  return javaFile(packages.model, name, imports, `${text}${head}\n${members.join("\n\n")}\n}`);
}

function codecsIn(type: TypeReference): string[] {
  return collectObjectNames(type).map((name) => `${packages.codec}.${codecName(name)}`);
}

function interfaceOf({ role }: ObjectType): string {
  if (role === "response") return " implements Answer";
  return role === "notification" ? " implements NotificationBody" : "";
}

function variablesOf({ fields, role }: ObjectType): string {
  const lines = [
    ...fields.map((field) => `  private final ${javaType(field.type)} ${javaName(field)};`),
    "  private final Map<String, Object> unknownFields;",
    ...(role === "response" ? ["  private final CallFacts call;"] : []),
  ];
  return lines.join("\n");
}

function constructorOf({ name, fields, role }: ObjectType): string {
  const lines = [
    ...fields.map((field) => `    this.${javaName(field)} = ${copyOf(field)};`),
    "    this.unknownFields = Immutable.fields(from.unknownFields);",
    ...(role === "response" ? ["    this.call = from.call;"] : []),
  ];
  return `  private ${name}(Builder from) {\n${lines.join("\n")}\n  }`;
}

function copyOf(field: Field): string {
  const [kind, value] = [field.type.kind, `from.${javaName(field)}`];
  return kind === "list" || kind === "map" ? `Immutable.${kind}(${value})` : value;
}

/**
 * The method is public because codecs are in another package. Callers outside the module cannot use it,
 * because `Fields` is not exported.
 */
function writeFieldsReader({ name, fields, role }: ObjectType): string {
  const lines = [
    ...fields.map((field) => `    from.${javaName(field)} = ${writeFieldReader(field)};`),
    "    from.unknownFields.putAll(fields.rest());",
    ...(role === "response" ? ["    from.call = fields.call();"] : []),
  ];
  return `  /** @hidden For the library only. Nothing is validated, because a response may omit fields that a request must have. */
  @SuppressWarnings("exports")
  public static ${name} fromFields(Fields fields) {
    var from = new Builder();
${lines.join("\n")}
    return new ${name}(from);
  }`;
}

/** Accessor methods instead of a record: a new component would change a record's constructor and pattern. */
function accessorsOf({ fields, role }: ObjectType): string[] {
  const isResponse = role === "response";
  const unknownFieldsDoc = "Fields that this version of the library does not know.";
  return [
    ...fields.map((field) =>
      accessor(javaType(field.type), javaName(field), {
        doc: describeField(field),
        deprecated: field.deprecated,
        isOverride: isResponse && field.name === "result",
      }),
    ),
    accessor("Map<String, Object>", "unknownFields", { doc: unknownFieldsDoc }),
    ...(isResponse ? [accessor("CallFacts", "call", { doc: "", isOverride: true })] : []),
  ];
}

interface AccessorFacts {
  readonly doc: string;
  readonly deprecated?: string | undefined;
  readonly isOverride?: boolean;
}

function accessor(
  type: string,
  name: string,
  { doc, deprecated, isOverride = false }: AccessorFacts,
): string {
  const head = javaDeprecation(doc, deprecated, "  ") + (isOverride ? "  @Override\n" : "");
  return `${head}  public ${type} ${name}() {\n    return ${name};\n  }`;
}

function equalityOf({ name, fields, role }: ObjectType): string {
  const names = [...fields.map(javaName), "unknownFields"];
  const doc =
    role === "response"
      ? "  /** Compares all fields of the body; ignores the facts about the API request. */\n"
      : "";
  return `${doc}  @Override
  public boolean equals(Object other) {
    return other instanceof ${name} it
${names.map((each) => `        && Objects.equals(${each}, it.${each})`).join("\n")};
  }

  @Override
  public int hashCode() {
${joinOrBreakLines("return Objects.hash(", names, ");", "    ")}
  }`;
}

function jsonMethods(name: string): string {
  return `  public static ${name} fromJson(String json) {
    return ${codecName(name)}.CODEC.readJson(json);
  }

  public String toJson() {
    return ${codecName(name)}.CODEC.writeJson(this);
  }`;
}

function toStringOf(name: string): string {
  return `  /** For people and logs: secret fields are masked. */
  @Override
  public String toString() {
    return ${codecName(name)}.CODEC.describe(this);
  }`;
}

function notificationBody({ notifications }: Model): GeneratedFile {
  const types = [...new Set(notifications.map(({ type }) => type)), "UnknownNotification"];
  const body = `/**
 * The body of a webhook. Use {@code instanceof} to find its type, and handle other types. The interface is not sealed, because a
 * newer version of the library may have a class for a webhook that is an {@link UnknownNotification} today.
 *
${types.map((type) => ` * @see ${type}`).join("\n")}
 */
public interface NotificationBody {}`;
  return javaFile(packages.model, "NotificationBody", [], body);
}
