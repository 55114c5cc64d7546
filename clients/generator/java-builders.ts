import { describeField } from "./field-doc.ts";
import { javaDeprecation, javaType, packages, quoteJava } from "./java-text.ts";
import { javaName } from "./names.ts";
import type { Field, ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

/** Generates the builder of a model. Merchants build requests with it, and tests build responses. */
export function builderMethods({ fields, role }: ObjectType): string {
  const assignments = [
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
${assignments.join("\n")}
    return builder;
  }`;
}

export function builderImports({ fields }: ObjectType, isSendable: boolean): string[] {
  return [
    "java.util.LinkedHashMap",
    ...(isSendable && fields.some(({ isRequired }) => isRequired) ? [`${packages.json}.Required`] : []),
    ...(fields.some(isAmount) ? [`${packages.base}.Money`] : []),
  ];
}

const isAmount = ({ type }: Field): boolean => type.kind === "object" && type.name === "Amount";

export function writeBuilder({ name, fields, role }: ObjectType, isSendable: boolean): string {
  const variables = [
    ...fields.map((field) => `    private ${javaType(field.type)} ${javaName(field)};`),
    "    private final Map<String, Object> unknownFields = new LinkedHashMap<>();",
    ...(role === "response" ? ["    private CallFacts call;"] : []),
  ];
  const setters = [
    ...fields.map(writeSetters),
    setterOfUnknown,
    ...(role === "response" ? [setterOfCall] : []),
  ];
  return `  /** Builds a {@link ${name}}. */
  public static final class Builder {
${variables.join("\n")}

    private Builder() {}

${setters.join("\n\n")}

    public ${name} build() {
${isSendable ? writeRequiredChecks(name, fields) : ""}      return new ${name}(this);
    }
  }`;
}

/**
 * Types that only the gateway writes have no required checks, so that a test can set only the fields that it
 * needs.
 */
function writeRequiredChecks(name: string, fields: readonly Field[]): string {
  const checks = fields
    .filter(({ isRequired }) => isRequired)
    .map(
      (field) => `      Required.check(${quoteJava(name)}, ${quoteJava(field.name)}, ${javaName(field)});\n`,
    );
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

function writeSetters(field: Field): string {
  const name = javaName(field);
  const doc = javaDeprecation(describeField(field), field.deprecated, "    ");
  const writeSetter = (type: string, value: string): string =>
    `    public Builder ${name}(${type} ${name}) {\n      this.${name} = ${value};\n      return this;\n    }`;
  const setters = [doc + writeSetter(setterType(field.type), name)];
  if (isAmount(field)) setters.push(doc + writeSetter("Money", `${name}.toAmount()`));
  if (field.type.kind === "list")
    setters.push(doc + writeSetter(`${javaType(field.type.of)}...`, `List.of(${name})`));
  return setters.join("\n\n");
}

/** Setters of numbers and flags in requests take primitives, so they cannot be null. */
function setterType(type: TypeReference): string {
  if (type.kind === "integer") return "long";
  return type.kind === "boolean" ? "boolean" : javaType(type);
}
