import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A notification as it came, for a library to verify. */
export interface Told {
  readonly method: string;
  readonly path: string;
  readonly requestTime: string;
  readonly signature: string;
  readonly body: string;
}

/** A shop that keeps what it is told, and acknowledges nothing. */
export interface ToldShop {
  readonly url: string;
  /** The first notification that has this in its body. */
  toldOf(words: string): Told | undefined;
  close(): void;
}

export async function openToldShop(): Promise<ToldShop> {
  const all: Told[] = [];
  const server = createServer((request, response) => {
    const { method = "", url: path = "", headers } = request;
    const [requestTime, signature] = [headers["request-time"], headers["signature"]].map(String);
    void text(request).then((body) => {
      all.push({ method, path, requestTime: requestTime ?? "", signature: signature ?? "", body });
      return response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notify`,
    toldOf: (words) => all.find(({ body }) => body.includes(words)),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
