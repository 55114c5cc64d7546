import { fieldDoc } from "./field-doc.ts";
import type { GeneratedFile } from "./emitter.ts";
import { codecName, importsOf, javadoc, javaFile, javaType, listed, packages, quoted } from "./java-text.ts";
import { constantName, javaName } from "./names.ts";
import type { EnumType, Field, Model, ObjectType } from "./model.ts";
import type { TypeReference } from "./type-reference.ts";

/** Records for all that is sent and told, with builders for what a merchant writes. */
export function javaModels(model: Model): GeneratedFile[] {
  const written = writtenTypes(model);
  return [
    ...model.enums.map(enumFile),
    ...model.types.map((type) => recordFile(type, written.has(type.name))),
    notificationBody(model),
  ];
}

/** What a request is made of, down to its last part. */
function writtenTypes({ types }: Model): ReadonlySet<string> {
  const byName = new Map(types.map((type) => [type.name, type]));
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const { type } of byName.get(name)?.fields ?? []) objectsIn(type).forEach(visit);
  };
  for (const { name, role } of types) if (role === "request") visit(name);
  return found;
}

function objectsIn(type: TypeReference): string[] {
  if (type.kind === "object") return [type.name];
  return type.kind === "list" || type.kind === "map" ? objectsIn(type.of) : [];
}

function enumFile({ name, values, meanings }: EnumType): GeneratedFile {
  const constants = values.map(
    (value) =>
      javadoc(meanings[value] ?? "", [], "  ") +
      `  public static final ${name} ${constantName(value)} = new ${name}(${quoted(value)});`,
  );
  const body = `/** Known texts; one that a newer gateway has is kept as it is. */
public final class ${name} extends OpenText {
${constants.join("\n")}

  private ${name}(String text) {
    super(text);
  }

  /** Any text, known or not. Null stays null. */
  public static ${name} of(String text) {
    return text == null ? null : new ${name}(text);
  }
}`;
  return javaFile(packages.model, name, [`${packages.base}.OpenText`], body);
}

/** A component of a record beside its fields. */
interface Component {
  readonly type: string;
  readonly name: string;
  readonly doc: string;
}

const unknownFields: Component = {
  type: "Map<String, Object>",
  name: "unknownFields",
  doc: "what a newer gateway has and this library does not know",
};
const callFacts: Component = {
  type: "CallFacts",
  name: "call",
  doc: "the call that this answers; null if it was read from elsewhere",
};

function recordFile(type: ObjectType, isWritten: boolean): GeneratedFile {
  const { name, doc, fields, role } = type;
  const isAnswer = role === "response";
  const components = [
    ...fields.map((field) => ({ type: javaType(field.type), name: javaName(field), doc: fieldDoc(field) })),
    unknownFields,
    ...(isAnswer ? [callFacts] : []),
  ];
  const tags = components.flatMap((each) => (each.doc === "" ? [] : [`@param ${each.name} ${each.doc}`]));
  const head = listed(
    `public record ${name}(`,
    components.map((each) => `${each.type} ${each.name}`),
    `)${interfaceOf(type)} {`,
    "",
  );
  const members = [
    constructorOf(name, fields),
    ...(isWritten ? [builderMethods(type)] : []),
    ...(role === "part" ? [] : [jsonMethods(name)]),
    toStringOf(name),
    ...(isWritten ? [builderOf(type)] : []),
  ];
  const imports = [
    `${packages.codec}.${codecName(name)}`,
    `${packages.json}.Immutable`,
    "java.util.Map",
    ...fields.flatMap((field) => importsOf(field.type)),
    ...(isAnswer ? [`${packages.base}.Answer`, `${packages.base}.CallFacts`] : []),
    ...(isWritten ? builderImports(type) : []),
  ];
  const text = javadoc(doc === "" ? defaultDoc(type) : doc, tags);
  return javaFile(packages.model, name, imports, `${text}${head}\n${members.join("\n\n")}\n}`);
}

function interfaceOf({ role }: ObjectType): string {
  if (role === "response") return " implements Answer";
  return role === "notification" ? " implements NotificationBody" : "";
}

function defaultDoc({ name, role }: ObjectType): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
  const rest = words.slice(0, -1).join(" ");
  if (role === "request") return `The request of \`${operationOf(name)}\`.`;
  if (role === "response") return `The answer of \`${operationOf(name)}\`.`;
  return role === "notification" ? `What is told of a ${rest}.` : "";
}

function operationOf(name: string): string {
  const stem = name.replace(/(?:Request|Response)$/, "");
  return stem.charAt(0).toLowerCase() + stem.slice(1);
}

function constructorOf(name: string, fields: readonly Field[]): string {
  const copies = fields.flatMap((field) => {
    const [kind, copied] = [field.type.kind, javaName(field)];
    if (kind === "list") return [`    ${copied} = Immutable.list(${copied});`];
    return kind === "map" ? [`    ${copied} = Immutable.map(${copied});`] : [];
  });
  const lines = [...copies, "    unknownFields = Immutable.fields(unknownFields);"];
  return `  public ${name} {\n${lines.join("\n")}\n  }`;
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
  return `  /** For people and logs: what is secret is hidden. */
  @Override
  public String toString() {
    return ${codecName(name)}.CODEC.describe(this);
  }`;
}

function builderMethods({ fields }: ObjectType): string {
  const copies = fields.map((field) => `    builder.${javaName(field)} = ${javaName(field)};`);
  return `  public static Builder builder() {
    return new Builder();
  }

  /** A copy that can be changed. */
  public Builder toBuilder() {
    var builder = new Builder();
${[...copies, "    builder.unknownFields.putAll(unknownFields);"].join("\n")}
    return builder;
  }`;
}

function builderImports({ fields }: ObjectType): string[] {
  return [
    "java.util.LinkedHashMap",
    ...(fields.some(({ isRequired }) => isRequired) ? [`${packages.json}.Required`] : []),
    ...(fields.some(isAmount) ? [`${packages.base}.Money`] : []),
  ];
}

const isAmount = ({ type }: Field): boolean => type.kind === "object" && type.name === "Amount";

function builderOf({ name, fields }: ObjectType): string {
  const variables = fields.map((field) => `    private ${javaType(field.type)} ${javaName(field)};`);
  const checks = fields
    .filter(({ isRequired }) => isRequired)
    .map((field) => `      Required.check(${quoted(name)}, ${quoted(field.name)}, ${javaName(field)});`);
  const values = [...fields.map(javaName), "unknownFields"];
  const doc =
    checks.length === 0 ? "" : "      // What has to be there is found out here, and not by the gateway.\n";
  return `  /** Puts a {@link ${name}} together. */
  public static final class Builder {
${[...variables, "    private final Map<String, Object> unknownFields = new LinkedHashMap<>();"].join("\n")}

    private Builder() {}

${fields.map(settersOf).join("\n\n")}${fields.length === 0 ? "" : "\n\n"}    /** Sets a field that this version of the library does not know. */
    public Builder unknownField(String name, Object value) {
      unknownFields.put(name, value);
      return this;
    }

    public ${name} build() {
${doc}${checks.map((line) => `${line}\n`).join("")}${listed(`return new ${name}(`, values, ");", "      ")}
    }
  }`;
}

function settersOf(field: Field): string {
  const name = javaName(field);
  const doc = javadoc(fieldDoc(field), [], "    ");
  const set = (type: string, value: string): string =>
    `    public Builder ${name}(${type} ${name}) {\n      this.${name} = ${value};\n      return this;\n    }`;
  const setters = [doc + set(setterType(field.type), name)];
  if (isAmount(field)) setters.push(doc + set("Money", `${name}.toAmount()`));
  if (field.type.kind === "list")
    setters.push(doc + set(`${javaType(field.type.of)}...`, `List.of(${name})`));
  return setters.join("\n\n");
}

/** Numbers and flags that a merchant writes are never absent. */
function setterType(type: TypeReference): string {
  if (type.kind === "integer") return "long";
  return type.kind === "boolean" ? "boolean" : javaType(type);
}

function notificationBody({ notifications }: Model): GeneratedFile {
  const types = [...new Set(notifications.map(({ type }) => type)), "UnknownNotification"];
  const body = `/** What a notification tells: ask with {@code instanceof} which one it is. */
public sealed interface NotificationBody
    permits ${types.join(",\n        ")} {}`;
  return javaFile(packages.model, "NotificationBody", [], body);
}
