import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createTransport } from "nodemailer";
import type { Letter } from "./letters.ts";

export interface Post {
  send(letter: Letter): Promise<void>;
  close(): void;
}

const timeoutMs = 10_000;

interface PostOptions {
  readonly url: string;
  readonly from: string;
}

/** Letters leave by SMTP: `smtps://user:password@host`, or `smtp://host:25` within the operator's own network. */
export function openPost({ url, from }: PostOptions): Post {
  if (url.startsWith("file:")) return keepLetters({ url, from });
  const transport = createTransport({
    url,
    // A password never travels in the clear, whatever the server offers.
    requireTLS: Boolean(URL.parse(url)?.username),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A letter is text that we wrote: it reads no file and fetches nothing.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, text }) {
      // As an object: a text would be parsed, and could be several recipients.
      await transport.sendMail({ from, to: { name: "", address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}

/** Each letter is a file, on the machine of a developer who has no mail server. */
function keepLetters({ url, from }: PostOptions): Post {
  const folder = fileURLToPath(url);
  return {
    async send({ to, subject, text }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${randomUUID().slice(0, 8)}.txt`;
      const head = `From: ${from}\nTo: ${to}\nSubject: ${subject}\n\n`;
      // Under its name when it is whole: somebody may be waiting for it.
      await writeFile(`${folder}/${name}.part`, head + text, { mode: 0o600 });
      await rename(`${folder}/${name}.part`, `${folder}/${name}`);
    },
    close: () => undefined,
  };
}
