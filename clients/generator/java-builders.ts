import { fieldDoc } from "./field-doc.ts";
import { javaDeprecation, javaType, packages, quoted } from "./java-text.ts";
import { javaName } from "./names.ts";
import type { Field, ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

/** Generates the builder of a model. Merchants build requests with it, and tests build responses. */
export function builderMethods({ fields, role }: ObjectType): string {
  const copies = [
    ...fields.map((field) => `    builder.${javaName(field)} = ${javaName(field)};`),
    "    builder.unknownFields.putAll(unknownFields);",
    ...(role === "response" ? ["    builder.call = call;"] : []),
  ];
  return `  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with these values. */
  public Builder toBuilder() {
    var builder = new Builder();
${copies.join("\n")}
    return builder;
  }`;
}

export function builderImports({ fields }: ObjectType, isWritten: boolean): string[] {
  return [
    "java.util.LinkedHashMap",
    ...(isWritten && fields.some(({ isRequired }) => isRequired) ? [`${packages.json}.Required`] : []),
    ...(fields.some(isAmount) ? [`${packages.base}.Money`] : []),
  ];
}

const isAmount = ({ type }: Field): boolean => type.kind === "object" && type.name === "Amount";

export function builderOf({ name, fields, role }: ObjectType, isWritten: boolean): string {
  const variables = [
    ...fields.map((field) => `    private ${javaType(field.type)} ${javaName(field)};`),
    "    private final Map<String, Object> unknownFields = new LinkedHashMap<>();",
    ...(role === "response" ? ["    private CallFacts call;"] : []),
  ];
  const setters = [...fields.map(settersOf), setterOfUnknown, ...(role === "response" ? [setterOfCall] : [])];
  return `  /** Builds a {@link ${name}}. */
  public static final class Builder {
${variables.join("\n")}

    private Builder() {}

${setters.join("\n\n")}

    public ${name} build() {
${isWritten ? checksOf(name, fields) : ""}      return new ${name}(this);
    }
  }`;
}

/**
 * Types that only the gateway writes have no required checks, so that a test can set only the fields that it
 * needs.
 */
function checksOf(name: string, fields: readonly Field[]): string {
  const checks = fields
    .filter(({ isRequired }) => isRequired)
    .map((field) => `      Required.check(${quoted(name)}, ${quoted(field.name)}, ${javaName(field)});\n`);
  if (checks.length === 0) return "";
  return `      // A missing required field fails here, before the request is sent.\n${checks.join("")}`;
}

const setterOfUnknown = `    /** Sets a field that this version of the library does not know. */
    public Builder unknownField(String name, Object value) {
      unknownFields.put(name, value);
      return this;
    }`;

const setterOfCall = `    /** Sets the facts about the API request, for tests that read them. */
    public Builder call(CallFacts call) {
      this.call = call;
      return this;
    }`;

function settersOf(field: Field): string {
  const name = javaName(field);
  const doc = javaDeprecation(fieldDoc(field), field.deprecated, "    ");
  const set = (type: string, value: string): string =>
    `    public Builder ${name}(${type} ${name}) {\n      this.${name} = ${value};\n      return this;\n    }`;
  const setters = [doc + set(setterType(field.type), name)];
  if (isAmount(field)) setters.push(doc + set("Money", `${name}.toAmount()`));
  if (field.type.kind === "list")
    setters.push(doc + set(`${javaType(field.type.of)}...`, `List.of(${name})`));
  return setters.join("\n\n");
}

/** Setters of numbers and flags in requests take primitives, so they cannot be null. */
function setterType(type: TypeReference): string {
  if (type.kind === "integer") return "long";
  return type.kind === "boolean" ? "boolean" : javaType(type);
}
