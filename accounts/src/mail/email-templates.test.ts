import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startSmtpServer } from "../../test/smtp-server.ts";
import { approvalRequestEmail, invitationEmail, quoteName, type EmailMessage } from "./email-templates.ts";
import { recoveryCompletedEmails, recoveryNotices, recoveryStoppedEmails } from "./recovery-emails.ts";
import {
  reviewApprovedEmail,
  reviewRefusedEmail,
  reviewSubmittedEmail,
  reviewPendingEmail,
} from "./review-emails.ts";
import { openMailer } from "./send-email.ts";

const url = "https://portal.example";
const to = "ada@shop.example";
const name = 'Tollgate" security';
const organisation = 'Your "account" is locked';
const act = "POST /accounts/people/change-role";
const readyAt = new Date("2026-11-18T12:00:00Z");

const emails: Readonly<Record<string, readonly EmailMessage[]>> = {
  invitation: [invitationEmail(url, { to, token: "t", organisation, inviter: name, role: "reader" })],
  approval: [approvalRequestEmail(url, { to, requester: name, organisation, act, reason: "As agreed." })],
  recovery: recoveryNotices(url, {
    to: [to],
    name,
    email: to,
    vouchedBy: `${quoteName(name)} of ${quoteName(organisation)}`,
    secondVoucher: "organisation",
    readyAt,
    token: "t",
  }),
  recovered: recoveryCompletedEmails({ to: [to], name }),
  stopped: recoveryStoppedEmails({ to: [to], name }),
  submitted: [reviewSubmittedEmail(url, { to, organisation })],
  waiting: [reviewPendingEmail(url, { to, organisation })],
  approved: [reviewApprovedEmail(url, { to, organisation })],
  refused: [reviewRefusedEmail(url, { to, organisation, reason: "No address." })],
};

for (const [kind, messages] of Object.entries(emails))
  test(`the ${kind} email has no name in its subject, and quotes names in its text`, () => {
    for (const { subject, text } of messages) {
      assert.doesNotMatch(subject, /security|locked/);
      const unquoted = text.replaceAll(/"Tollgate' security"|"Your 'account' is locked"/g, "");
      assert.notEqual(unquoted, text);
      assert.doesNotMatch(unquoted, /security|locked/);
    }
  });

test("an email has one recipient, whatever its address contains", async () => {
  const smtp = await startSmtpServer();
  after(() => smtp.close());
  const mailer = openMailer({ url: smtp.url, from: "Tollgate <accounts@pay.example>" });
  await mailer
    .send({ to: "a@evil.example,victim@corp.example", subject: "s", text: "t" })
    .catch((error: unknown) => assert.match(String(error), /recipient|address/i));
  mailer.close();
  assert.deepEqual(
    smtp.delivered.filter((email) => email.to.split(" ").includes("victim@corp.example")),
    [],
  );
});
