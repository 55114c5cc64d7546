import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Two programs in one. `node benchmarks/bare-post.ts receive` acknowledges and counts every POST. `node
 * benchmarks/bare-post.ts URL COUNT BYTES` sends COUNT bodies with minimal Node code, and prints the CPU time of each.
 */
const acknowledgement = JSON.stringify({
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" },
});
const inFlight = 32;

const [mode = "", count = "0", bytes = "0"] = process.argv.slice(2);
if (mode === "receive") receive();
else await post(new URL(mode), Number(count), "x".repeat(Number(bytes)));

function receive(): void {
  let received = 0;
  const server = createServer((asked, answer) => {
    if (asked.method === "GET") return void answer.end(String(received));
    received += 1;
    asked.resume().on("end", () => answer.end(acknowledgement));
  });
  server.listen(0, "127.0.0.1", () => {
    process.stderr.write(`receives at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
}

async function post(url: URL, posts: number, body: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const headers = {
    "content-type": "application/json; charset=UTF-8",
    "client-id": "SANDBOX_0000000000000000",
    "request-time": "2026-11-15T09:31:04+00:00",
    signature: `algorithm=RSA256,keyVersion=1,signature=${"x".repeat(350)}`,
    "content-length": String(body.length),
  };
  const postOne = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: "POST", agent, headers }, (answer) => {
        let responseText = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          responseText += chunk;
        });
        answer.on("end", () =>
          responseText === acknowledgement ? resolve() : reject(new Error(responseText)),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    });
  let remaining = posts;
  const postUntilDone = async (): Promise<void> => {
    while (remaining > 0) {
      remaining -= 1;
      await postOne();
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, postUntilDone));
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${(user + system) / posts}\n`);
  agent.destroy();
}
