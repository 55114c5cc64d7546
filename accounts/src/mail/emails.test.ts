import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startSmtpServer } from "../../test/smtp-server.ts";
import { approvalLetter, invitationLetter, quoted, type Letter } from "./emails.ts";
import { recoveredLetters, recoveryLetters, stoppedLetters } from "./recovery-emails.ts";
import { approvedLetter, refusedLetter, submittedLetter, waitingLetter } from "./review-emails.ts";
import { openMailer } from "./send-email.ts";

const url = "https://portal.example";
const to = "ada@shop.example";
const name = 'Tollgate" security';
const organisation = 'Your "account" is locked';
const act = "POST /accounts/people/change-role";
const readyAt = new Date("2026-11-18T12:00:00Z");

const emails: Readonly<Record<string, readonly Letter[]>> = {
  invitation: [invitationLetter(url, { to, token: "t", organisation, inviter: name, role: "reader" })],
  approval: [approvalLetter(url, { to, asker: name, organisation, act, reason: "As agreed." })],
  recovery: recoveryLetters(url, {
    to: [to],
    name,
    email: to,
    by: `${quoted(name)} of ${quoted(organisation)}`,
    second: "organisation",
    readyAt,
    token: "t",
  }),
  recovered: recoveredLetters({ to: [to], name }),
  stopped: stoppedLetters({ to: [to], name }),
  submitted: [submittedLetter(url, { to, organisation })],
  waiting: [waitingLetter(url, { to, organisation })],
  approved: [approvedLetter(url, { to, organisation })],
  refused: [refusedLetter(url, { to, organisation, reason: "No address." })],
};

for (const [what, letters] of Object.entries(emails))
  test(`the ${what} email has no name in its subject, and quotes names in its text`, () => {
    for (const { subject, text } of letters) {
      assert.doesNotMatch(subject, /security|locked/);
      const unquoted = text.replaceAll(/"Tollgate' security"|"Your 'account' is locked"/g, "");
      assert.notEqual(unquoted, text);
      assert.doesNotMatch(unquoted, /security|locked/);
    }
  });

test("an email has one recipient, whatever its address contains", async () => {
  const smtp = await startSmtpServer();
  after(() => smtp.close());
  const post = openMailer({ url: smtp.url, from: "Tollgate <accounts@pay.example>" });
  await post
    .send({ to: "a@evil.example,victim@corp.example", subject: "s", text: "t" })
    .catch((error: unknown) => assert.match(String(error), /recipient|address/i));
  post.close();
  assert.deepEqual(
    smtp.delivered.filter((letter) => letter.to.split(" ").includes("victim@corp.example")),
    [],
  );
});
