import type { GeneratedFile } from "./emitter.ts";
import type { Model, ObjectType } from "./model.ts";
import type { TypeReference } from "./type-reference.ts";
import type { Json } from "./openapi-document.ts";

/** A body that is read as `type` and written again. */
interface ModelCase {
  readonly id: string;
  readonly type: string;
  readonly json: Json;
  /** What has to be written; the order of fields does not matter. */
  readonly expect: Json;
}

type Visit = (json: Json, type: TypeReference) => Json;

const newText = "SOMETHING_NEW";
const newField = { newField: { deep: ["kept", 1, true] } };

/** Every example of the interface, four times: as it is, with what is unknown, and with nulls. */
export function conformanceModels(model: Model): GeneratedFile {
  const types = new Map(model.types.map((type) => [type.name, type]));
  const cases = model.examples.flatMap(({ id, type, json }): ModelCase[] => {
    const root: TypeReference = { kind: "object", name: type };
    const withField = withUnknownFields(types)(json, root);
    const withText = withUnknownTexts(types)(json, root);
    return [
      { id: `${id}/example`, type, json, expect: json },
      { id: `${id}/unknown-field`, type, json: withField, expect: withField },
      { id: `${id}/unknown-text`, type, json: withText, expect: withText },
      { id: `${id}/null`, type, json: withNulls(types)(json, root), expect: json },
    ];
  });
  return {
    path: "conformance/models.json",
    text: `${JSON.stringify({ version: 1, cases }, undefined, 1)}\n`,
  };
}

type Types = ReadonlyMap<string, ObjectType>;

function withUnknownFields(types: Types): Visit {
  return everyObject(types, (fields) => ({ ...fields, ...newField }));
}

/** All that an object may have and does not have, as null. */
function withNulls(types: Types): Visit {
  return everyObject(types, (fields, type) => {
    const absent = type.fields.filter(({ name, isRequired }) => !isRequired && !(name in fields));
    return { ...fields, ...Object.fromEntries(absent.map(({ name }) => [name, null])) };
  });
}

function everyObject(
  types: Types,
  change: (fields: Readonly<Record<string, Json>>, type: ObjectType) => Json,
): Visit {
  const visit: Visit = (json, reference) => {
    if (Array.isArray(json) && reference.kind === "list") {
      return (json as readonly Json[]).map((each) => visit(each, reference.of));
    }
    const type = reference.kind === "object" ? types.get(reference.name) : undefined;
    return type ? change(visitFields(json, type, visit), type) : json;
  };
  return visit;
}

function withUnknownTexts(types: Types): Visit {
  const visit: Visit = (json, reference) => {
    if (reference.kind === "enum") return newText;
    if (Array.isArray(json) && reference.kind === "list") {
      return (json as readonly Json[]).map((each) => visit(each, reference.of));
    }
    const type = reference.kind === "object" ? types.get(reference.name) : undefined;
    return type ? visitFields(json, type, visit) : json;
  };
  return visit;
}

function visitFields(json: Json, type: ObjectType, visit: Visit): Readonly<Record<string, Json>> {
  const byName = new Map(type.fields.map((field) => [field.name, field]));
  return Object.fromEntries(
    Object.entries(json as Readonly<Record<string, Json>>).map(([name, value]) => {
      const field = byName.get(name);
      return [name, field ? visit(value, field.type) : value];
    }),
  );
}
