import { fieldDoc } from "./field-doc.ts";
import { comment, goQuoted, goType, inGo, sentenceOf } from "./go-text.ts";
import { goName } from "./names.ts";
import { goQuestions } from "./payment-outcomes.ts";
import type { EnumType, Field, Model, ObjectType } from "./model.ts";
import type { TypeReference } from "./type-reference.ts";

type Words = (doc: string) => string;

/** Structs whose zero value is empty and safe, and that keep what they do not know. */
export function goModels(model: Model): string[] {
  const words = inGo(model);
  const docs = typeDocs(model);
  const kinds = new Map(model.notifications.map(({ type, kind }) => [type, kind]));
  const { outcomes } = model;
  return model.types.map((type) => {
    const questions = outcomes.types.includes(type.name) ? goQuestions(outcomes, type) : undefined;
    return [
      structOf(type, docs(type), words, kinds.get(type.name)),
      ...(type.role === "response" ? answerMethods(goName(type.name), questions !== undefined) : []),
      ...(questions ?? []),
    ].join("\n\n");
  });
}

function structOf(type: ObjectType, doc: string, words: Words, kind: string | undefined): string {
  const name = goName(type.name);
  const isAnswer = type.role === "response";
  const fields = type.fields.flatMap((field) => [
    comment(words(fieldDoc(field)), "\t", field.deprecated) +
      `\t${goName(field.name)} ${goType(field.type, field.isRequired)} ${tagOf(field)}`,
  ]);
  const call = isAnswer
    ? [`${comment("Call is what is known of the call.", "\t")}\tCall CallFacts \`json:"-"\``]
    : [];
  const extra = comment(
    "Extra has what this version of the library does not know, by the names on the wire. It is sent as well.",
    "\t",
  );
  return [
    `${comment(`${name} ${doc}`)}type ${name} struct {\n${[...fields, ...call, `${extra}\tExtra map[string]json.RawMessage \`json:"-"\``].join("\n")}\n}`,
    reader(name, type.fields),
    `// MarshalJSON writes what is set, and what was kept.\nfunc (v ${name}) MarshalJSON() ([]byte, error) {\n\ttype plain ${name}\n\treturn writeObject(plain(v), v.Extra)\n}`,
    method(
      "IsZero says whether nothing is set: then it is absent on the wire.",
      `v ${name}`,
      "IsZero() bool",
      "reflect.ValueOf(v).IsZero()",
    ),
    method("String is JSON without what is secret.", `v ${name}`, "String() string", "redactedText(v)"),
    method("GoString is JSON without what is secret.", `v ${name}`, "GoString() string", "redactedText(v)"),
    method(
      "LogValue is JSON without what is secret.",
      `v ${name}`,
      "LogValue() slog.Value",
      "slog.StringValue(redactedText(v))",
    ),
    ...(kind === undefined
      ? []
      : [
          method(
            `NotificationKind is ${kind}.`,
            `*${name}`,
            "NotificationKind() NotificationKind",
            goQuoted(kind),
          ),
        ]),
  ].join("\n\n");
}

/** What is required is always written, but a list that is nil would be null. */
function tagOf({ name, type, isRequired }: Field): string {
  const isWritten = isRequired && type.kind !== "list" && type.kind !== "map" && type.kind !== "anything";
  const option = isWritten ? "" : type.kind === "text" || type.kind === "enum" ? ",omitempty" : ",omitzero";
  return `\`json:"${name}${option}"\``;
}

function reader(name: string, fields: readonly Field[]): string {
  const cases = fields.map(
    (field) => `\t\tcase ${goQuoted(field.name)}:\n\t\t\treturn &v.${goName(field.name)}\n`,
  );
  const places = fields.length === 0 ? "" : `\t\tswitch name {\n${cases.join("")}\t\t}\n`;
  const parameter = fields.length === 0 ? "string" : "name string";
  return `// UnmarshalJSON takes null for absent, and keeps what it does not know.
func (v *${name}) UnmarshalJSON(data []byte) error {
	return readObject(data, &v.Extra, func(${parameter}) any {
${places}\t\treturn nil
	})
}`;
}

/** In three lines: Go's formatter has a rule of its own for what goes on one. */
function method(doc: string, receiver: string, signature: string, value: string): string {
  return `// ${doc}\nfunc (${receiver}) ${signature} {\n\treturn ${value}\n}`;
}

/** `IsPending` of an answer that has an outcome is one of its four questions. */
function answerMethods(name: string, hasOutcome: boolean): string[] {
  const said = (doc: string, word: string, status: string): string =>
    method(
      `${word} says ${doc}`,
      `v *${name}`,
      `${word}() bool`,
      `v.Result.ResultStatus == ResultStatus${status}`,
    );
  return [
    said("that it happened: S.", "IsSuccess", "S"),
    ...(hasOutcome
      ? []
      : [said("that nobody knows yet: U. Wait for the notification, or inquire.", "IsPending", "U")]),
    said("that it did not happen: F. Only with WithFailuresReturned.", "IsFailure", "F"),
    `func (v *${name}) answered(facts CallFacts) {\n\tv.Call = facts\n}`,
  ];
}

/** What a type is, behind its name. */
function typeDocs(model: Model): (type: ObjectType) => string {
  const words = inGo(model);
  const bodies = new Map(
    model.areas.flatMap(({ operations }) =>
      operations.flatMap(({ area, name, request, response }) => [
        [request, `is what client.${goName(area)}.${goName(name)} takes.`],
        [response, `is what client.${goName(area)}.${goName(name)} answers.`],
      ]),
    ),
  );
  const told = new Map(
    model.notifications.map(({ type, kind, summary }) => [type, `is the body of ${kind}: ${summary}`]),
  );
  return ({ name, doc }) => {
    if (doc !== "") return sentenceOf("is", words(doc));
    return bodies.get(name) ?? told.get(name) ?? `is part of ${placesOf(model, name)}.`;
  };
}

/** The types that have a part of this name. */
function placesOf({ types }: Model, part: string): string {
  const names = types
    .filter(({ fields }) => fields.some(({ type }) => isOf(type, part)))
    .map(({ name }) => goName(name));
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} and others` : names.join(" and ");
}

function isOf(type: TypeReference, name: string): boolean {
  if (type.kind === "list" || type.kind === "map") return isOf(type.of, name);
  return type.kind === "object" && type.name === name;
}

/** Texts with names. A text that is none of them is kept as it is. */
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
    const said = meanings[value] ?? codes[value] ?? "";
    const constant = `${name}${goName(value)}`;
    const doc = said === "" ? `${constant} is ${value}.` : `${constant} is ${value}: ${said}`;
    return `${comment(doc, "\t")}\t${constant} ${name} = ${goQuoted(value)}`;
  });
  return [
    `// ${name} is one of the texts below, or one that a newer gateway has.\ntype ${name} string`,
    `// What ${name} may be.\nconst (\n${constants.join("\n")}\n)`,
  ].join("\n\n");
}
