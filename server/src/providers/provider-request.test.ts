import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvidenceType } from "./dispute-values.ts";
import type { ProviderFacts } from "./provider-facts.ts";
import { toWireDefense } from "./provider-request.ts";

const answer = { providerDisputeId: "d", answerReference: "a", reason: "MERCHANT_DEFENDED" };
const owner = { merchantId: "m", account: undefined };
const document = { type: "RECEIPT", format: "PDF", content: "JVBERi0x", sha256: "00" } as const;

function sentTypes(evidenceTypes: readonly EvidenceType[] | undefined): readonly unknown[] {
  const facts = evidenceTypes && ({ evidenceTypes } as unknown as ProviderFacts);
  const evidence = [document, { ...document, type: "IDENTITY" }] as const;
  const body = toWireDefense({ ...answer, owner, evidence }, facts) as { evidence: (typeof document)[] };
  return body.evidence.map(({ type }) => type);
}

test("a document of a type that the provider does not distinguish is sent as OTHER", () => {
  assert.deepEqual(sentTypes(["IDENTITY"]), ["OTHER", "IDENTITY"]);
  assert.deepEqual(sentTypes([]), ["OTHER", "OTHER"]);
  assert.deepEqual(sentTypes(undefined), ["RECEIPT", "IDENTITY"]);
});

test("an automatic defense has no evidence", () => {
  assert.deepEqual(toWireDefense({ ...answer, owner, evidence: [] }, undefined), {
    ...answer,
    merchantId: "m",
  });
});
