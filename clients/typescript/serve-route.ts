import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { POST } from "./examples/notify-next.ts";

/** Serves the route of the Next.js example as Next.js would: a Request in, a Response out. */
createServer((request, response) => void serve(request, response)).listen(
  Number(process.env["PORT"]),
  "127.0.0.1",
);

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const body = Buffer.concat(chunks);
  const answer = await POST(new Request(`http://localhost${request.url}`, { method: "POST", headers, body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}
