import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { pdfText, popplerMissing } from "../../test/documents/pdf-text.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { startDisputeStack } from "../../test/shop/test-dispute.ts";
import { call, newMerchant, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";

const {
  request: ask,
  createPaidPayment: paid,
  open,
  codeOf,
  decide,
  waitForStatus,
  provider,
  database,
  url,
  merchant,
} = await startDisputeStack();
const otherMerchant = await newMerchant(database, "Somebody else");

const base64 = (...parts: readonly (string | Buffer)[]): string =>
  Buffer.concat(parts.map((part) => Buffer.from(part))).toString("base64");

/** Sample documents that start with the magic bytes of their format. */
const documents = {
  PDF: base64("%PDF-1.7\nproof of delivery"),
  JPG: base64(Buffer.from([0xff, 0xd8, 0xff, 0xe0]), "JFIF"),
  ZIP: base64(Buffer.from([0x50, 0x4b, 3, 4]), "papers/letter.txt"),
  "WORD of today": base64(Buffer.from([0x50, 0x4b, 3, 4]), "word/document.xml"),
  "WORD of before": base64(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), "Word.Document.8"),
} as const;

const supply = (disputeId: string, disputeEvidence: string): Promise<ReceivedAnswer> =>
  ask("supplyDefenseDocument", { disputeId, disputeEvidence });
const download = (disputeId: string, disputeEvidenceType: string): Promise<ReceivedAnswer> =>
  ask("downloadDisputeEvidence", { disputeId, disputeEvidenceType });

for (const [name, document] of Object.entries(documents)) {
  test(`a ${name} document is accepted, and returned unchanged`, async () => {
    const { disputeId } = await open(await paid());
    assert.equal(codeOf(await download(disputeId, "DISPUTE_EVIDENCE_FILE")), "PARAM_ILLEGAL");
    assert.equal(codeOf(await supply(disputeId, document)), "SUCCESS");
    const { json } = await download(disputeId, "DISPUTE_EVIDENCE_FILE");
    assert.equal(json["disputeEvidence"], document);
    assert.equal(json["disputeEvidenceFormat"], name.split(" ")[0]);
  });
}

test("other formats are refused, and so is evidence that is not Base64, too long or empty", async () => {
  const { disputeId } = await open(await paid());
  for (const document of [
    base64("MZ an executable"),
    base64("<html>"),
    "not Base64!",
    "",
    "A".repeat(1_000_001),
  ]) {
    const answer = await supply(disputeId, document);
    assert.equal(codeOf(answer), "PARAM_ILLEGAL");
    assert.equal(answer.json.result["resultField"], "disputeEvidence");
  }
  assert.equal(codeOf(await supply(disputeId, documents.PDF)), "SUCCESS");
});

test("evidence of the maximum size reaches the provider; a larger body is refused before it is read", async () => {
  const { disputeId } = await open(await paid());
  const large = base64("%PDF-", Buffer.alloc(749_995, 7));
  assert.equal(large.length, 1_000_000);
  const path = pathOf("sandbox", "payments/supplyDefenseDocument");
  const padded = JSON.stringify({ disputeId, disputeEvidence: large }).padEnd(1_572_865);
  assert.equal(codeOf(await call(url, merchant, { path, body: padded })), "PARAM_ILLEGAL");
  assert.equal(codeOf(await call(url, merchant, { path, body: padded.slice(0, -1) })), "SUCCESS");
  assert.equal((await download(disputeId, "DISPUTE_EVIDENCE_FILE")).json["disputeEvidence"], large);
  // Other operations keep the usual maximum body size.
  const accept = pathOf("sandbox", "payments/acceptDispute");
  const long = JSON.stringify({ disputeId }).padEnd(256 * 1024 + 1);
  assert.equal(codeOf(await call(url, merchant, { path: accept, body: long })), "PARAM_ILLEGAL");
});

const evidenceType = "RECEIPT";
const supplyAll = (disputeId: string, [first, ...further]: readonly object[]): Promise<ReceivedAnswer> =>
  ask("supplyDefenseDocument", { disputeId, ...first, furtherDocuments: further });
const digestOf = (base64Text: string): string =>
  createHash("sha256").update(Buffer.from(base64Text, "base64")).digest("hex");

test("all documents of a defense reach the provider with their types and digests, in order and once", async () => {
  const { disputeId, body } = await open(await paid(), { wantedEvidence: ["RECEIPT", "IDENTITY"] });
  assert.deepEqual(body["wantedEvidence"], ["RECEIPT", "IDENTITY"]);
  const supplied = [
    { disputeEvidence: documents.PDF, evidenceType },
    { disputeEvidence: documents.JPG, evidenceType: "PROOF_OF_DELIVERY" },
    { disputeEvidence: documents.ZIP },
  ];
  assert.equal(codeOf(await supplyAll(disputeId, supplied)), "SUCCESS");
  assert.equal(codeOf(await supplyAll(disputeId, supplied)), "REPEAT_REQUEST");
  const defenses = provider
    .effects()
    .filter(({ kind, event }) => kind === "dispute-changed" && event === "defend");
  const answer = defenses.at(-1)?.["answer"] as { documents?: unknown } | undefined;
  assert.deepEqual(answer?.documents, [
    { type: "RECEIPT", format: "PDF", bytes: 26, sha256: digestOf(documents.PDF) },
    { type: "PROOF_OF_DELIVERY", format: "JPG", bytes: 8, sha256: digestOf(documents.JPG) },
    { type: "OTHER", format: "ZIP", bytes: 21, sha256: digestOf(documents.ZIP) },
  ]);
  const { json } = await download(disputeId, "DISPUTE_EVIDENCE_FILE");
  assert.equal(json["disputeEvidence"], documents.PDF);
});

test("a defense has at most ten documents of known types, with 1 MiB together", async () => {
  const { disputeId } = await open(await paid());
  const document = { disputeEvidence: documents.PDF, evidenceType };
  const half = { disputeEvidence: base64("%PDF-", Buffer.alloc(512 * 1024 - 5)) };
  for (const refused of [
    [{ ...document, evidenceType: "INVOICE" }],
    [document, { disputeEvidence: "not Base64!" }],
    [document, half, half],
    Array.from({ length: 11 }, () => document),
  ])
    assert.equal(codeOf(await supplyAll(disputeId, refused)), "PARAM_ILLEGAL");
  assert.equal(codeOf(await supplyAll(disputeId, [half, half])), "SUCCESS");
});

test("documents that the provider did not get are replaced by those of the next attempt", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId, { disputeType: "COMPLIANCE_REQUEST" });
  const row = "select position, type from dispute_evidence where dispute_id = $1 order by number, position";
  const stored = async (): Promise<readonly object[]> => asSuperuser(row, [disputeId], database.superuserUrl);
  const document = { disputeEvidence: documents.PDF, evidenceType };
  assert.equal(codeOf(await supplyAll(disputeId, [document, document, document])), "SUCCESS");
  assert.equal((await stored()).length, 3);
  // As after a defense that was refused: its number is used again.
  await asSuperuser(
    "update disputes set defenses = 0, answered_at = null where dispute_id = $1",
    [disputeId],
    database.superuserUrl,
  );
  await decide(paymentId, "invalidate");
  await waitForStatus(disputeId, "CREATED");
  await supplyAll(disputeId, [{ ...document, evidenceType: "IDENTITY" }]);
  assert.deepEqual(await stored(), [{ position: 1, type: "IDENTITY" }]);
});

test("Base64 that looks like a card number is accepted, and logs keep only the SHA-256 of a document", async () => {
  const { disputeId } = await open(await paid());
  const document = "JVBERi0x4111111111111111abcd";
  const furtherDocuments = [{ disputeEvidence: document, evidenceType }];
  const request = { disputeId, disputeEvidence: documents.PDF, furtherDocuments };
  assert.equal(codeOf(await ask("supplyDefenseDocument", request)), "SUCCESS");
  await download(disputeId, "DISPUTE_EVIDENCE_FILE");
  const digestOfLog = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
  const digest = digestOfLog(document);
  const rows = await eventually(
    10_000,
    () =>
      asSuperuser<{ path: string; request_body: string; answer_body: string }>(
        "select path, request_body, answer_body from request_log where request_body like $1",
        [`%${disputeId}%`],
        database.superuserUrl,
      ),
    (effects) => effects.length >= 2,
  );
  assert.ok(rows.some(({ request_body }) => request_body.includes(digest)));
  assert.ok(rows.some(({ answer_body }) => answer_body.includes(digestOfLog(documents.PDF))));
  for (const { request_body, answer_body } of rows)
    assert.ok(!request_body.includes(document) && !answer_body.includes(document));
});

test("the letter is a PDF with the facts, and evidence of type AI is refused", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId, {
    reasonCode: "4853",
    reasonMessage: "Not (at all) as described",
  });
  const { json } = await download(disputeId, "DISPUTE_EVIDENCE_TEMPLATE");
  assert.equal(json["disputeEvidenceFormat"], "PDF");
  const letter = Buffer.from(String(json["disputeEvidence"]), "base64");
  if (popplerMissing === false)
    for (const fact of [disputeId, paymentId, "4853 Not (at all) as described", "12.50"])
      assert.ok(pdfText(letter).includes(fact), fact);
  // The gateway accepts its own letter as evidence.
  assert.equal(codeOf(await supply(disputeId, String(json["disputeEvidence"]))), "SUCCESS");
  for (const type of ["DISPUTE_EVIDENCE_AI", "SOMETHING_ELSE"])
    assert.equal(codeOf(await download(disputeId, type)), "PARAM_ILLEGAL");
});

test("a dispute of another merchant gets the same response as an unknown one", async () => {
  const { disputeId } = await open(await paid());
  const unknown = disputeId.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
  const asOtherMerchant = async (operation: string, named: string): Promise<unknown> => {
    const path = pathOf("sandbox", `payments/${operation}`);
    const request = {
      disputeId: named,
      disputeEvidence: documents.PDF,
      disputeEvidenceType: "DISPUTE_EVIDENCE_TEMPLATE",
    };
    return (await call(url, otherMerchant, { path, body: JSON.stringify(request) })).json.result;
  };
  for (const operation of ["acceptDispute", "supplyDefenseDocument", "downloadDisputeEvidence"]) {
    const answer = await asOtherMerchant(operation, disputeId);
    assert.partialDeepStrictEqual(answer, { resultCode: "PARAM_ILLEGAL", resultField: "disputeId" });
    assert.deepEqual(answer, await asOtherMerchant(operation, unknown));
  }
  assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "SUCCESS");
});
