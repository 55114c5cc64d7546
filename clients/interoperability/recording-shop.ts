import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A received webhook for a library to verify. */
export interface ReceivedWebhook {
  readonly method: string;
  readonly path: string;
  readonly requestTime: string;
  readonly signature: string;
  readonly body: string;
}

/** A shop that records webhooks and acknowledges none. */
export interface RecordingShop {
  readonly url: string;
  /** Returns the first webhook whose body contains this text. */
  findWebhook(fragment: string): ReceivedWebhook | undefined;
  close(): void;
}

export async function startRecordingShop(): Promise<RecordingShop> {
  const webhooks: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    const { method = "", url: path = "", headers } = request;
    const [requestTime, signature] = [headers["request-time"], headers["signature"]].map(String);
    void text(request).then((body) => {
      webhooks.push({ method, path, requestTime: requestTime ?? "", signature: signature ?? "", body });
      return response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notify`,
    findWebhook: (fragment) => webhooks.find(({ body }) => body.includes(fragment)),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
