import { createTransport } from "nodemailer";
import type { Letter } from "./letters.ts";

export interface Post {
  send(letter: Letter): Promise<void>;
  close(): void;
}

const timeoutMs = 10_000;

/** Letters leave by SMTP: `smtps://user:password@host`, or `smtp://host:25` within the operator's own network. */
export function openPost({ url, from }: { readonly url: string; readonly from: string }): Post {
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
      await transport.sendMail({ from, to, subject, text });
    },
    close: () => transport.close(),
  };
}
