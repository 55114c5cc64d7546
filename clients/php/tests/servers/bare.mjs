// A server for benchmark.php that always sends the same signed response.
import { createServer } from "node:http";

const { headers, body } = JSON.parse(process.env.BENCHMARK_ANSWER ?? "");
const server = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200, headers).end(body));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
