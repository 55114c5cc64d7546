import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startTestProcess } from "../../../server/test/start/test-process.ts";
import { givenMember, startTestAccounts } from "../../test/test-accounts.ts";
import type { Answer, TestBrowser } from "../../test/test-browser.ts";
import { readSettings } from "../settings.ts";
import { documentBytesMax, mediaTypeOf } from "./business-document.ts";
import { listPendingReviews, readReview, saveDocument } from "./review-by-command.ts";
import { findMissingItems, noBusiness } from "./review.ts";

const accounts = await startTestAccounts();

const business = {
  legalName: "Coffee Lab GmbH",
  registrationNumber: "HRB 12345",
  country: "DE",
  address: "Kantstrasse 1\n10623 Berlin",
  owner: "Ada Byron",
  website: "https://coffee.example/shop",
  sells: "Roasted coffee, and courses about it",
};

const paper = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.from("a canary of a paper")]);

async function uploadDocument(
  browser: TestBrowser,
  shows: string,
  content: Uint8Array = paper,
  name = "paper.pdf",
): Promise<Answer> {
  const base64 = Buffer.from(content).toString("base64");
  return browser.post("/accounts/review/documents", { shows, name, content: base64 });
}

type Member = Awaited<ReturnType<typeof givenMember>>;

/** `readyOwner` returns an owner with fresh re-authentication, whose organisation has submitted all required data. */
async function readyOwner(): Promise<Member> {
  const owner = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  await owner.browser.post("/accounts/review/business", business);
  for (const shows of ["registration", "identity"]) await uploadDocument(owner.browser, shows);
  return owner;
}

const staff = (): Promise<Member> => givenMember(accounts, { role: "staff-operator", steppedUpAgoMs: 0 });
const addressOf = ({ personId }: Member): string => `${personId.toLowerCase()}@shop.example`;
const refusalOf = ({ json }: Answer): unknown => json["refusal"];

test("empty and invalid fields and missing documents are reported", () => {
  assert.deepEqual(findMissingItems(business, ["registration", "identity"]), []);
  assert.equal(findMissingItems(noBusiness, []).length, 9);
  for (const website of ["http://coffee.example", "https://", "https://ada@coffee.example", "javascript:x"])
    assert.deepEqual(
      findMissingItems({ ...business, website }, ["registration", "identity"]),
      ["website"],
      website,
    );
  assert.deepEqual(findMissingItems({ ...business, country: "Germany" }, ["identity"]), [
    "country",
    "document-registration",
  ]);
});

test("the type of a document is detected by its first bytes", () => {
  assert.equal(mediaTypeOf(paper), "application/pdf");
  assert.equal(mediaTypeOf(Buffer.from([0xff, 0xd8, 0xff, 0xe0])), "image/jpeg");
  for (const text of [
    "<svg xmlns='http://www.w3.org/2000/svg'>",
    "<!doctype html>",
    "MZ",
    "PK\u0003\u0004",
    "",
  ])
    assert.equal(mediaTypeOf(Buffer.from(text)), undefined, text);
});

test("a merchant goes live: details, documents, submission, review, approval, and a client id", async () => {
  const owner = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const { browser, organisationId } = owner;
  const operator = await staff();
  const initialReview = await browser.get("/accounts/review");
  assert.deepEqual(
    [initialReview.json["status"], (initialReview.json["missing"] as string[]).length],
    ["draft", 9],
  );
  const early = await browser.post("/accounts/review/submit", {});
  assert.deepEqual([early.status, refusalOf(early)], [409, "REVIEW_INCOMPLETE"]);

  assert.equal((await browser.post("/accounts/review/business", business)).status, 200);
  assert.equal((await uploadDocument(browser, "registration")).status, 200);
  const { json: half } = await browser.get("/accounts/review");
  assert.deepEqual([half["missing"], half["business"]], [["document-identity"], business]);
  await uploadDocument(browser, "identity");
  assert.equal((await browser.post("/accounts/review/submit", {})).status, 200);
  assert.match((await accounts.smtp.emailTo(addressOf(owner))).subject, /has requested to go live/);
  assert.match((await accounts.smtp.emailTo(addressOf(operator))).subject, /requests a review/);

  const { json: listed } = await operator.browser.get("/accounts/merchants");
  const [first] = listed["merchants"] as { organisationId: string; status: string }[];
  assert.deepEqual([first?.organisationId, first?.status], [organisationId, "submitted"]);
  const { json: seen } = await operator.browser.get(
    `/accounts/merchants/review?organisationId=${organisationId}`,
  );
  assert.deepEqual([seen["business"], seen["submission"], seen["missing"]], [business, 1, []]);
  const [document] = seen["documents"] as { documentId: string }[];
  const opened = await operator.browser.get(
    `/accounts/merchants/document?documentId=${document?.documentId}`,
  );
  assert.deepEqual(Buffer.from(String(opened.json["content"]), "base64"), paper);
  assert.match(opened.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(opened.headers.get("x-content-type-options"), "nosniff");

  const approval = { organisationId, submission: 1, reason: "Register checked, owner called." };
  assert.equal((await operator.browser.post("/accounts/merchants/approve", approval)).status, 200);
  assert.equal(
    refusalOf(await operator.browser.post("/accounts/merchants/refuse", approval)),
    "REVIEW_CHANGED",
  );
  assert.match((await accounts.smtp.emailTo(addressOf(owner))).subject, /can go live/);
  assert.equal((await browser.post("/accounts/clients/live", { name: "Shop" })).status, 200);

  const { json: log } = await browser.get("/accounts/audit");
  const acts = (log["entries"] as { act: string }[]).map(({ act }) => act).toReversed();
  assert.deepEqual(acts, [
    "review.change",
    "document.add",
    "document.add",
    "review.submit",
    // The views by staff are not in the merchant's audit log; only staff can read them.
    "review.approve",
    "client.give",
  ]);
  assert.ok(!JSON.stringify(log).includes("Kantstrasse"), "the audit log does not contain business details");
});

test("a submission is unchangeable until it is withdrawn, and a decision applies only to the reviewed one", async () => {
  const { browser, organisationId } = await readyOwner();
  const operator = await staff();
  await browser.post("/accounts/review/submit", {});
  const decide = (submission: number): Promise<Answer> =>
    operator.browser.post("/accounts/merchants/approve", { organisationId, submission, reason: "Fine." });
  assert.equal(refusalOf(await browser.post("/accounts/review/business", business)), "REVIEW_UNDER_WAY");
  assert.equal(refusalOf(await uploadDocument(browser, "other")), "REVIEW_UNDER_WAY");
  const { json } = await browser.get("/accounts/review");
  const [document] = json["documents"] as { documentId: string }[];
  const { documentId } = document ?? {};
  const remove = (): Promise<Answer> => browser.post("/accounts/review/documents/remove", { documentId });
  assert.equal(refusalOf(await remove()), "REVIEW_UNDER_WAY");

  // The merchant withdraws, changes and submits again after the operator has opened the review (race).
  assert.equal((await browser.post("/accounts/review/withdraw", {})).status, 200);
  assert.equal(refusalOf(await decide(1)), "REVIEW_CHANGED");
  assert.equal((await remove()).status, 200);
  await uploadDocument(browser, "registration");
  await browser.post("/accounts/review/submit", {});
  assert.equal(refusalOf(await decide(1)), "REVIEW_CHANGED");
  assert.equal((await decide(2)).status, 200);
});

test("a rejection sends the reason to the owners, and they can submit again", async () => {
  const owner = await readyOwner();
  const { browser, organisationId } = owner;
  const operator = await staff();
  await browser.post("/accounts/review/submit", {});
  await accounts.smtp.emailTo(addressOf(owner));
  const reason = "The extract is older than three months.";
  await operator.browser.post("/accounts/merchants/refuse", { organisationId, submission: 1, reason });
  assert.ok((await accounts.smtp.emailTo(addressOf(owner))).text.includes(reason));
  const { json } = await browser.get("/accounts/review");
  assert.deepEqual([json["status"], json["reason"]], ["refused", reason]);
  assert.equal(refusalOf(await browser.post("/accounts/clients/live", { name: "Shop" })), "LIVE_NOT_OPEN");
  assert.equal((await browser.post("/accounts/review/submit", {})).status, 200);
  assert.equal((await browser.get("/accounts/review")).json["reason"], undefined);
});

test("a document of another type or size, or above the maximum number, is rejected", async () => {
  const { browser } = await givenMember(accounts, { role: "admin" });
  const page = Buffer.from("<!doctype html><script>alert(1)</script>");
  assert.equal(refusalOf(await uploadDocument(browser, "other", page, "paper.pdf")), "DOCUMENT_REFUSED");
  const large = Buffer.concat([paper, Buffer.alloc(documentBytesMax)]);
  assert.equal(
    refusalOf(await uploadDocument(browser, "other", large.subarray(0, documentBytesMax + 1))),
    "DOCUMENT_REFUSED",
  );
  assert.equal((await uploadDocument(browser, "other", large.subarray(0, documentBytesMax))).status, 200);
  assert.equal((await uploadDocument(browser, "other", Buffer.concat([large, large]))).status, 413);
  for (let count = 1; count < 12; count += 1)
    assert.equal((await uploadDocument(browser, "other")).status, 200);
  assert.equal(refusalOf(await uploadDocument(browser, "other")), "TOO_MANY");
});

test("a large body is not read if the caller may not send it", async () => {
  const { browser } = await givenMember(accounts, { role: "developer" });
  for (const [requester, refusal] of [
    [accounts.browser(), "NOT_SIGNED_IN"],
    [browser, "NOT_ALLOWED"],
  ] as const)
    assert.equal(
      refusalOf(await requester.post("/accounts/review/documents", "{".repeat(1_000_000))),
      refusal,
    );
});

test("documents are private to their organisation, and the database stores them encrypted", async () => {
  const { browser } = await readyOwner();
  const { json } = await browser.get("/accounts/review");
  const [document] = json["documents"] as { documentId: string }[];
  const outsider = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const { documentId } = document ?? {};
  const path = "/accounts/review/documents/remove";
  assert.equal(refusalOf(await outsider.browser.post(path, { documentId })), "NOT_FOUND");
  const own = await outsider.browser.get(`/accounts/merchants/document?documentId=${documentId}`);
  assert.equal(refusalOf(own), "NOT_FOUND");
  const [row] = await accounts.sql<{ found: boolean }>(
    "select bool_or(position($1::bytea in wrapped) > 0) as found from documents",
    [Buffer.from("a canary of a paper")],
  );
  assert.equal(row?.found, false);
});

test("operators can review with commands", async (t) => {
  const owner = await readyOwner();
  const { organisationId } = owner;
  await owner.browser.post("/accounts/review/submit", {});
  await accounts.smtp.emailTo(addressOf(owner));
  const settings = readSettings(accounts.variables);
  const waiting = await listPendingReviews(settings);
  assert.ok(waiting.some((merchant) => merchant.organisationId === organisationId));
  const { documents } = await readReview(settings, organisationId);
  const file = join(tmpdir(), `tollgate-paper-${organisationId}.pdf`);
  t.after(() => rm(file));
  const documentId = documents[0]?.documentId ?? "";
  await saveDocument(settings, documentId, file);
  assert.deepEqual(await readFile(file), paper);
  await assert.rejects(saveDocument(settings, documentId, file), /EEXIST/);
  await assert.rejects(readReview(settings, "org_nobody"), /Merchant org_nobody not found/);

  assert.match(
    await runCommand("review", "show", organisationId),
    /submission 1[^]*legalName: Coffee Lab GmbH/,
  );
  const decision = ["--submission", "1", "--reason", "Register checked."];
  assert.match(await runCommand("review", "approve", organisationId, ...decision), /^0 approved/);
  assert.match((await accounts.smtp.emailTo(addressOf(owner))).subject, /can go live/);
  assert.match(
    await runCommand("review", "refuse", organisationId, ...decision),
    /^1 .*has changed the request/,
  );
});

async function runCommand(...words: string[]): Promise<string> {
  const started = startTestProcess(["accounts/src/main.ts", ...words], accounts.variables);
  let printed = "";
  started.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  await started.exited;
  return `${started.child.exitCode} ${printed}${started.stderr()}`;
}
