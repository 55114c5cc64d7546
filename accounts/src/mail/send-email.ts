import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createTransport } from "nodemailer";
import type { EmailMessage } from "./email-templates.ts";

export interface Mailer {
  send(email: EmailMessage): Promise<void>;
  close(): void;
}

const timeoutMs = 10_000;

interface MailerOptions {
  readonly url: string;
  readonly from: string;
}

/** `openMailer` sends emails by SMTP: `smtps://user:password@host`, or `smtp://host:25` within the operator's network. */
export function openMailer({ url, from }: MailerOptions): Mailer {
  if (url.startsWith("file:")) return openFileMailer({ url, from });
  const transport = createTransport({
    url,
    // A password is sent only over TLS, whatever the server offers.
    requireTLS: Boolean(URL.parse(url)?.username),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Emails are our own texts, so file access and URL access are disabled.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, text }) {
      // The recipient is an object, because nodemailer parses a text, which could contain several recipients.
      await transport.sendMail({ from, to: { name: "", address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}

/** `openFileMailer` writes each email to a file, for developers without a mail server. */
function openFileMailer({ url, from }: MailerOptions): Mailer {
  const folder = fileURLToPath(url);
  return {
    async send({ to, subject, text }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${randomUUID().slice(0, 8)}.txt`;
      const head = `From: ${from}\nTo: ${to}\nSubject: ${subject}\n\n`;
      // The file gets its final name when it is complete, because a reader may be waiting for it.
      await writeFile(`${folder}/${name}.part`, head + text, { mode: 0o600 });
      await rename(`${folder}/${name}.part`, `${folder}/${name}`);
    },
    close: () => undefined,
  };
}
