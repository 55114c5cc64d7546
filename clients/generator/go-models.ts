import { describeField } from "./field-doc.ts";
import { comment, goQuoted, goType, createDocTranslator, writeDocSentence } from "./go-text.ts";
import { goName } from "./names.ts";
import { writeGoOutcomeMethods } from "./payment-outcomes.ts";
import type { Model } from "./model.ts";
import type { EnumType, Field, ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

type DocTranslator = (doc: string) => string;

/** Generates structs whose zero value is empty and safe to use. The structs keep unknown fields. */
export function goModels(model: Model): string[] {
  const translateDoc = createDocTranslator(model);
  const docs = createTypeDescriber(model);
  const kinds = new Map(model.notifications.map(({ type, kind }) => [type, kind]));
  const { outcomes } = model;
  return model.types.map((type) => {
    const outcomeMethods = outcomes.types.includes(type.name)
      ? writeGoOutcomeMethods(outcomes, type)
      : undefined;
    return [
      structOf(type, docs(type), translateDoc, kinds.get(type.name)),
      ...(type.role === "response" ? responseMethods(goName(type.name), outcomeMethods !== undefined) : []),
      ...(outcomeMethods ?? []),
    ].join("\n\n");
  });
}

function structOf(
  type: ObjectType,
  doc: string,
  translateDoc: DocTranslator,
  kind: string | undefined,
): string {
  const name = goName(type.name);
  const isResponse = type.role === "response";
  const fields = type.fields.flatMap((field) => [
    comment(translateDoc(describeField(field)), "\t", field.deprecated) +
      `\t${goName(field.name)} ${goType(field.type, field.isRequired)} ${writeJsonTag(field)}`,
  ]);
  const call = isResponse
    ? [`${comment("Call has the facts about the API request.", "\t")}\tCall CallFacts \`json:"-"\``]
    : [];
  const extra = comment(
    "Extra has the fields that this version of the library does not know, by wire name. They are sent, too.",
    "\t",
  );
  return [
    `${comment(`${name} ${doc}`)}type ${name} struct {\n${[...fields, ...call, `${extra}\tExtra map[string]json.RawMessage \`json:"-"\``].join("\n")}\n}`,
    unmarshalMethod(name, type.fields),
    `// MarshalJSON writes the fields that are set, and the fields of Extra.\nfunc (v ${name}) MarshalJSON() ([]byte, error) {\n\ttype plain ${name}\n\treturn writeObject(plain(v), v.Extra)\n}`,
    method(
      "IsZero reports whether no field is set. The value is then absent on the wire.",
      `v ${name}`,
      "IsZero() bool",
      "reflect.ValueOf(v).IsZero()",
    ),
    method(
      "String returns JSON with secret fields masked.",
      `v ${name}`,
      "String() string",
      "redactedText(v)",
    ),
    method(
      "GoString returns JSON with secret fields masked.",
      `v ${name}`,
      "GoString() string",
      "redactedText(v)",
    ),
    method(
      "LogValue returns JSON with secret fields masked.",
      `v ${name}`,
      "LogValue() slog.Value",
      "slog.StringValue(redactedText(v))",
    ),
    ...(kind === undefined
      ? []
      : [
          method(
            `NotificationKind returns ${kind}.`,
            `*${name}`,
            "NotificationKind() NotificationKind",
            goQuoted(kind),
          ),
        ]),
  ].join("\n\n");
}

/**
 * Required fields are always written. Required lists and maps are omitted when nil, because Go would write
 * null.
 */
function writeJsonTag({ name, type, isRequired }: Field): string {
  const isWritten = isRequired && type.kind !== "list" && type.kind !== "map" && type.kind !== "anything";
  const option = isWritten ? "" : type.kind === "text" || type.kind === "enum" ? ",omitempty" : ",omitzero";
  return `\`json:"${name}${option}"\``;
}

function unmarshalMethod(name: string, fields: readonly Field[]): string {
  const cases = fields.map(
    (field) => `\t\tcase ${goQuoted(field.name)}:\n\t\t\treturn &v.${goName(field.name)}\n`,
  );
  const switchCases = fields.length === 0 ? "" : `\t\tswitch name {\n${cases.join("")}\t\t}\n`;
  const parameter = fields.length === 0 ? "string" : "name string";
  return `// UnmarshalJSON reads null as absent, and keeps unknown fields in Extra.
func (v *${name}) UnmarshalJSON(data []byte) error {
	return readObject(data, &v.Extra, func(${parameter}) any {
${switchCases}\t\treturn nil
	})
}`;
}

/** A method is always written on three lines, because gofmt has its own rule for functions on one line. */
function method(doc: string, receiver: string, signature: string, value: string): string {
  return `// ${doc}\nfunc (${receiver}) ${signature} {\n\treturn ${value}\n}`;
}

/** The methods that report the result status. A response with a payment outcome has its own `IsPending`. */
function responseMethods(name: string, hasOutcome: boolean): string[] {
  const resultMethod = (doc: string, methodName: string, status: string): string =>
    method(
      `${methodName} reports whether ${doc}`,
      `v *${name}`,
      `${methodName}() bool`,
      `v.Result.ResultStatus == ResultStatus${status}`,
    );
  return [
    resultMethod("the result status is S: success.", "IsSuccess", "S"),
    ...(hasOutcome
      ? []
      : [
          resultMethod(
            "the result status is U: the outcome is unknown. Wait for the webhook, or inquire.",
            "IsPending",
            "U",
          ),
        ]),
    resultMethod(
      "the result status is F: final failure. It can be true only with WithFailuresReturned.",
      "IsFailure",
      "F",
    ),
    `func (v *${name}) answered(facts CallFacts) {\n\tv.Call = facts\n}`,
  ];
}

/** The description of a type, without its name at the start. */
function createTypeDescriber(model: Model): (type: ObjectType) => string {
  const translateDoc = createDocTranslator(model);
  const bodies = new Map(
    model.areas.flatMap(({ operations }) =>
      operations.flatMap(({ area, name, request, response }) => [
        [request, `is the request of client.${goName(area)}.${goName(name)}.`],
        [response, `is the response of client.${goName(area)}.${goName(name)}.`],
      ]),
    ),
  );
  const notificationDocs = new Map(
    model.notifications.map(({ type, kind, summary }) => [
      type,
      `is the body of the webhook ${kind}: ${summary}`,
    ]),
  );
  return ({ name, doc }) => {
    if (doc !== "") return writeDocSentence("is", translateDoc(doc));
    return (
      bodies.get(name) ?? notificationDocs.get(name) ?? `is part of ${listContainingTypes(model, name)}.`
    );
  };
}

/** Lists the types that contain a part of this name. */
function listContainingTypes({ types }: Model, part: string): string {
  const names = types
    .filter(({ fields }) => fields.some(({ type }) => containsType(type, part)))
    .map(({ name }) => goName(name));
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} and others` : names.join(" and ");
}

function containsType(type: TypeReference, name: string): boolean {
  if (type.kind === "list" || type.kind === "map") return containsType(type.of, name);
  return type.kind === "object" && type.name === name;
}

/** String types with named values. A value without a name is kept unchanged. */
export function goEnums({ enums, resultCodes }: Model): string[] {
  const codes = Object.fromEntries(resultCodes.map(({ code, message }) => [code, message]));
  return enums.map((each) => enumOf(each, codes));
}

function enumOf(
  { name: wireName, values, meanings }: EnumType,
  codes: Readonly<Record<string, string>>,
): string {
  const name = goName(wireName);
  const constants = values.map((value) => {
    const meaning = meanings[value] ?? codes[value] ?? "";
    const constant = `${name}${goName(value)}`;
    const doc = meaning === "" ? `${constant} is ${value}.` : `${constant} is ${value}: ${meaning}`;
    return `${comment(doc, "\t")}\t${constant} ${name} = ${goQuoted(value)}`;
  });
  return [
    `// ${name} is one of the values below, or a value that only a newer gateway has.\ntype ${name} string`,
    `// What ${name} may be.\nconst (\n${constants.join("\n")}\n)`,
  ].join("\n\n");
}
