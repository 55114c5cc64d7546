import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { POST } from "./notify-next.ts";
import { order } from "./shop.ts";

/** Serves the route of the Next.js example, and another route, with Request and Response as Next.js does. */
createServer((request, response) => {
  // The error is caught, because a client that disconnects while it sends the body must not end the process.
  serve(request, response).catch(() => response.destroy());
}).listen(Number(process.env["PORT"]), "127.0.0.1");

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const body = await buffer(request);
  const given = new Request(`http://localhost${request.url}`, { method: "POST", headers, body });
  const answer = await (request.url?.startsWith("/notify") ? POST(given) : tellOrder(given));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}

async function tellOrder(request: Request): Promise<Response> {
  const { paymentRequestId } = (await request.json()) as { paymentRequestId: string };
  return Response.json(await order(paymentRequestId));
}
