import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A merchant's endpoint that records all webhooks, so that a library in any language can read them. */
export interface Mailbox {
  readonly url: string;
  stop(): Promise<void>;
}

/** A received webhook, byte for byte. */
export interface Mail {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bodyBase64: string;
}

const ack = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}';

/** `GET /mail?about=…` lists the webhooks whose body contains this text. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: Mail[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "", "http://localhost");
      response.setHeader("content-type", "application/json");
      if (request.method === "GET") {
        const about = url.searchParams.get("about") ?? "";
        const matchingMails = mails.filter((mail) => Buffer.from(mail.bodyBase64, "base64").includes(about));
        response.end(JSON.stringify(matchingMails));
        return;
      }
      const { rawHeaders, method = "", url: path = "" } = request;
      const headers = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
      );
      mails.push({ method, path, headers, bodyBase64: Buffer.concat(chunks).toString("base64") });
      response.end(ack);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
