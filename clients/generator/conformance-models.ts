import type { GeneratedFile } from "./emitter.ts";
import type { Model, OutcomeRow } from "./model.ts";
import type { ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";
import type { Json } from "./openapi-document.ts";

/** A body that the library reads as `type` and writes again. */
interface ModelCase {
  readonly id: string;
  readonly type: string;
  readonly json: Json;
  /** The expected output; the order of fields does not matter. */
  readonly expect: Json;
}

type JsonVisitor = (json: Json, type: TypeReference) => Json;

const unknownText = "SOMETHING_NEW";
const unknownField = { newField: { deep: ["kept", 1, true] } };

/**
 * The cases of each example in the interface: one unchanged, one with unknown fields and values, and one with
 * nulls.
 */
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

/** Maps each kind of webhook to its example. `tollgate conform receiver` sends each of them. */
export function conformanceNotifications({ notifications, examples }: Model): GeneratedFile {
  const bodies = notifications.map(({ kind, type }) => [
    kind,
    examples.find((example) => example.type === type)?.json,
  ]);
  return {
    path: "conformance/notifications.json",
    text: `${JSON.stringify(Object.fromEntries(bodies), undefined, 1)}\n`,
  };
}

type TypesByName = ReadonlyMap<string, ObjectType>;

function withUnknownFields(types: TypesByName): JsonVisitor {
  return changeObjects(types, (fields) => ({ ...fields, ...unknownField }));
}

/** Adds each absent optional field of an object as null. */
function withNulls(types: TypesByName): JsonVisitor {
  return changeObjects(types, (fields, type) => {
    const absent = type.fields.filter(({ name, isRequired }) => !isRequired && !(name in fields));
    return { ...fields, ...Object.fromEntries(absent.map(({ name }) => [name, null])) };
  });
}

function changeObjects(
  types: TypesByName,
  change: (fields: Readonly<Record<string, Json>>, type: ObjectType) => Json,
): JsonVisitor {
  const visit: JsonVisitor = (json, reference) => {
    if (Array.isArray(json) && reference.kind === "list") {
      return (json as readonly Json[]).map((each) => visit(each, reference.of));
    }
    const type = reference.kind === "object" ? types.get(reference.name) : undefined;
    return type ? change(visitFields(json, type, visit), type) : json;
  };
  return visit;
}

function withUnknownTexts(types: TypesByName): JsonVisitor {
  const visit: JsonVisitor = (json, reference) => {
    if (reference.kind === "enum") return unknownText;
    if (Array.isArray(json) && reference.kind === "list") {
      return (json as readonly Json[]).map((each) => visit(each, reference.of));
    }
    const type = reference.kind === "object" ? types.get(reference.name) : undefined;
    return type ? visitFields(json, type, visit) : json;
  };
  return visit;
}

function visitFields(json: Json, type: ObjectType, visit: JsonVisitor): Readonly<Record<string, Json>> {
  const byName = new Map(type.fields.map((field) => [field.name, field]));
  return Object.fromEntries(
    Object.entries(json as Readonly<Record<string, Json>>).map(([name, value]) => {
      const field = byName.get(name);
      return [name, field ? visit(value, field.type) : value];
    }),
  );
}

const unknownValue = "SOMETHING_NEW";
const paymentStatuses = ["PROCESSING", "PENDING", "SUCCESS", "FAIL", "CANCELLED", unknownValue, null];
const notifyTypes = ["PAYMENT_RESULT", "PAYMENT_PENDING", "CAPTURE_RESULT", "REFUND_RESULT", unknownValue];
const resultStatuses = ["S", "F", "U", unknownValue];
const [authExpiryTime, authReleaseTime] = ["2026-11-22T09:30:00+00:00", "2026-11-22T09:30:01+00:00"];
const capture = {
  transactionType: "CAPTURE",
  transactionStatus: "SUCCESS",
  transactionResult: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
  transactionId: "20261115093500123047601530017744121",
  transactionRequestId: "order-1001-capture-1",
  transactionAmount: { currency: "EUR", value: "500" },
};
const notHeld = { NONE: {}, HELD: { authExpiryTime } };
const released = { RELEASED: { authExpiryTime, authReleaseTime } };
const captured = {
  CAPTURED: { authExpiryTime, authReleaseTime, transactions: [capture] },
  // A failed capture takes no money, so the hold remains.
  HELD_STILL: { authExpiryTime, transactions: [{ ...capture, transactionStatus: "FAIL" }] },
};

/**
 * The cases for each message with an outcome: every combination of the fields that determine the outcome of
 * the payment.
 */
export function conformanceOutcomes({ outcomes }: Model): GeneratedFile {
  const cases = outcomes.types.flatMap((type) => {
    const isNotified = type.endsWith("Notification");
    const holds: Readonly<Record<string, object>> = {
      ...notHeld,
      ...(!isNotified && released),
      ...(type === "InquiryPaymentResponse" && captured),
    };
    const statuses = isNotified ? notifyTypes : paymentStatuses;
    return statuses.flatMap((status) =>
      resultStatuses.flatMap((resultStatus) =>
        Object.entries(holds).map(([hold, holdFields]) => {
          const facts = {
            notifyType: isNotified ? status : null,
            paymentStatus: isNotified ? null : status,
            resultStatus,
            hold: hold.replace("_STILL", ""),
          };
          const outcome = outcomes.rows.find((row) => matchesRow(row, facts))?.outcome ?? "PENDING";
          const id = [type, status ?? "none", resultStatus, hold].join("/");
          return { id, type, json: buildMessage(facts, holdFields), outcome };
        }),
      ),
    );
  });
  const lines = cases.map((each) => `  ${JSON.stringify(each)}`);
  return {
    path: "conformance/outcomes.json",
    text: `{\n "version": 1,\n "cases": [\n${lines.join(",\n")}\n ]\n}\n`,
  };
}

type OutcomeFacts = Readonly<Record<"notifyType" | "paymentStatus" | "resultStatus" | "hold", string | null>>;

function matchesRow(row: OutcomeRow, facts: OutcomeFacts): boolean {
  const columns = Object.keys(facts) as (keyof OutcomeFacts)[];
  return columns.every((column) => row[column] === undefined || row[column] === facts[column]);
}

function buildMessage({ notifyType, paymentStatus, resultStatus }: OutcomeFacts, holdFields: object): Json {
  return {
    result: { resultCode: "SUCCESS", resultStatus, resultMessage: "" },
    ...(notifyType !== null && { notifyType }),
    ...(paymentStatus !== null && { paymentStatus }),
    paymentId: "20261115093000123047601530017744120",
    paymentRequestId: "order-1001-attempt-1",
    paymentCreateTime: "2026-11-15T09:30:00+00:00",
    ...holdFields,
    sequence: 2,
  };
}
