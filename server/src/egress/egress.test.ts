import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { after, test } from "node:test";
import { createTestCertificate } from "../../test/start/test-certificate.ts";
import { openEgress, type EgressRules } from "./egress.ts";
import { hideNetworkDetails, type PostOutcome } from "./delivery-outcome.ts";

const certificate = await createTestCertificate("DNS:shop.example,DNS:localhost,IP:127.0.0.1");
const acknowledged = '{"result":{"resultStatus":"S"}}';
const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${acknowledged.length}\r\n\r\n${acknowledged}`;

function openTestEgress(overrides: Partial<EgressRules> = {}): ReturnType<typeof openEgress> {
  const egress = openEgress({
    environment: "sandbox",
    ports: [],
    allowsLoopback: overrides.environment !== "live",
    certificateAuthority: certificate.cert,
    ...overrides,
  });
  after(() => egress.close());
  return egress;
}

const egress = openTestEgress();
/** An egress with a short deadline, for endpoints that would use all of it. */
const impatientEgress = openTestEgress({ totalMsMax: 300 });

function post(url: string, through = egress, signal = new AbortController().signal): Promise<PostOutcome> {
  return through.post(url, { headers: { "client-id": "C1" }, body: Buffer.from('{"a":1}'), signal });
}

test("A sandbox for other users does not reach listeners on its own machine", async () => {
  const server = createHttpServer((_request, response) => response.end("secret"));
  const url = `http://127.0.0.1:${await listenOnFreePort(server)}/admin/tokens`;
  after(() => server.close());
  const sent = await post(url, openTestEgress({ allowsLoopback: false }));
  assert.deepEqual([sent.failure, sent.answer], ["blocked", ""]);
  // Without the rule the same address is reachable, so the rule blocked the request.
  assert.equal((await post(url)).answer, "secret");
});

async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Starts a merchant's system that acts on the raw socket, by the number of the message and of the connection. */
async function startShop(
  behaviour: (socket: Socket, message: number, connection: number) => void,
): Promise<{ readonly url: string; readonly counts: { messages: number; connections: number } }> {
  const counts = { messages: 0, connections: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const connection = (counts.connections += 1);
    sockets.add(socket.on("error", () => undefined));
    socket.on("data", () => behaviour(socket, (counts.messages += 1), connection));
  });
  after(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return { url: `http://127.0.0.1:${await listenOnFreePort(server)}/notify`, counts };
}

test("A merchant's response is returned with its status and its timings", async () => {
  const shop = await startShop((socket) => socket.write(answer));
  const { timings, ...rest } = await post(shop.url);
  assert.deepEqual(rest, { httpStatus: 200, answer: acknowledged, failure: undefined, detail: undefined });
  const { dnsMs, connectMs = -1, tlsMs, firstByteMs = -1, totalMs } = timings;
  assert.deepEqual([dnsMs, tlsMs], [undefined, undefined]);
  assert.ok(connectMs > 0 && connectMs <= firstByteMs && firstByteMs <= totalMs, JSON.stringify(timings));
});

test("The message is sent to the path and query of the URL", async () => {
  const received: string[] = [];
  const shop = await startShop((socket) => socket.write(answer));
  const spy = createServer((socket) => {
    socket.on("data", (bytes) => {
      received.push(String(bytes));
      if (received.join("").includes('{"a":1}')) socket.write(answer);
    });
  });
  after(() => spy.close());
  const port = await listenOnFreePort(spy);
  await post(`${shop.url.replace(/:\d+.*/, `:${port}`)}/a/./b c?d=1`);
  const [head = "", body] = received.join("").split("\r\n\r\n");
  const [line, ...headers] = head.split("\r\n");
  assert.equal(line, "POST /a/b%20c?d=1 HTTP/1.1");
  const expected = [
    "Connection: keep-alive",
    "client-id: C1",
    "content-length: 7",
    `host: 127.0.0.1:${port}`,
  ];
  assert.deepEqual(headers.sort(), expected);
  assert.equal(body, '{"a":1}');
});

test("Messages to one destination share a connection", async () => {
  const shop = await startShop((socket) => socket.write(answer));
  for (let message = 0; message < 20; message++) assert.equal((await post(shop.url)).httpStatus, 200);
  assert.deepEqual(shop.counts, { messages: 20, connections: 1 });
  const { timings } = await post(shop.url);
  assert.equal(timings.connectMs, undefined);
});

test("An idle connection is closed after a while", async () => {
  const briefEgress = openTestEgress({ idleMsMax: 50 });
  const closed = Promise.withResolvers<void>();
  const shop = await startShop((socket) => void socket.on("close", () => closed.resolve()).write(answer));
  await post(shop.url, briefEgress);
  await closed.promise;
  assert.equal((await post(shop.url, briefEgress)).httpStatus, 200);
  assert.equal(shop.counts.connections, 2);
});

test("A kept connection that closes during use costs no delivery attempt", async () => {
  const shop = await startShop((socket, _message, connection) => {
    if (connection === 1 && shop.counts.messages > 1) socket.resetAndDestroy();
    else socket.write(answer);
  });
  assert.equal((await post(shop.url)).httpStatus, 200);
  const second = await post(shop.url);
  assert.equal(second.httpStatus, 200);
  assert.deepEqual(shop.counts, { messages: 3, connections: 2 });
});

test("It is retried on a new connection only once", async () => {
  const shop = await startShop((socket, message) => {
    if (message > 1) socket.destroy();
    else socket.write(answer);
  });
  await post(shop.url);
  assert.equal((await post(shop.url)).failure, "broken answer");
  assert.deepEqual(shop.counts, { messages: 3, connections: 2 });
});

test("A message that failed on a new connection is not sent twice", async () => {
  const shop = await startShop((socket) => socket.destroy());
  assert.equal((await post(shop.url)).failure, "broken answer");
  assert.deepEqual(shop.counts, { messages: 1, connections: 1 });
});

const drip = (socket: Socket): void => {
  const timer = setInterval(() => socket.write(" "), 20);
  socket.on("close", () => clearInterval(timer));
};

const misbehaviours: readonly (readonly [
  what: string,
  acts: (socket: Socket) => void,
  httpStatus: number,
  failure: PostOutcome["failure"],
])[] = [
  ["never answers", () => undefined, 0, "timeout"],
  ["begins a status line and stops", (socket) => socket.write("HTTP/1.1 2"), 0, "timeout"],
  [
    "drips its headers",
    (socket) => drip(socket.write("HTTP/1.1 200 OK\r\na:") ? socket : socket),
    0,
    "timeout",
  ],
  [
    "drips its answer",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{");
      drip(socket);
    },
    200,
    "timeout",
  ],
  ["closes at once", (socket) => socket.end(), 0, "broken answer"],
  ["resets", (socket) => socket.resetAndDestroy(), 0, "broken answer"],
  [
    "closes in the middle",
    (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"),
    200,
    "broken answer",
  ],
  ["speaks something else", (socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"), 0, "broken answer"],
  ["sends rubbish", (socket) => socket.end(Buffer.alloc(4096, 0xff)), 0, "broken answer"],
  [
    "contradicts itself about its length",
    (socket) =>
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
    0,
    "broken answer",
  ],
  [
    "has a huge header",
    (socket) => socket.write(`HTTP/1.1 200 OK\r\na: ${"b".repeat(9_000)}\r\n\r\n`),
    0,
    "too long",
  ],
  [
    "has very many headers",
    (socket) => socket.write(`HTTP/1.1 200 OK\r\n${"name: value\r\n".repeat(1_000)}\r\n`),
    0,
    "too long",
  ],
  [
    "sends interim responses without end",
    (socket) => socket.write("HTTP/1.1 100 Continue\r\n\r\n".repeat(100)),
    0,
    "broken answer",
  ],
  [
    "changes the protocol",
    (socket) => socket.write("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
    0,
    "broken answer",
  ],
];

for (const [description, behaviour, httpStatus, failure] of misbehaviours) {
  test(`A merchant's system that ${description} is a failed attempt within the deadline`, async () => {
    const shop = await startShop(behaviour);
    const sent = await post(shop.url, failure === "timeout" ? impatientEgress : egress);
    assert.deepEqual([sent.httpStatus, sent.failure], [httpStatus, failure]);
    assert.ok(sent.timings.totalMs < 2_000);
    assert.equal(hideNetworkDetails(sent).failure, failure);
  });
}

test("Of a large response only the needed part is read", async () => {
  let writtenBytes = 0;
  const shop = await startShop((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n");
    const chunk = Buffer.alloc(64 * 1024, "x");
    const fill = (): void => {
      while (!socket.destroyed && socket.write(chunk)) writtenBytes += chunk.length;
    };
    socket.on("drain", fill);
    fill();
  });
  const sent = await post(shop.url);
  assert.deepEqual([sent.httpStatus, sent.failure, sent.answer.length], [200, "too long", 16 * 1024]);
  assert.equal(hideNetworkDetails(sent).answer.length, 1024);
  assert.ok(writtenBytes < 50_000_000, `${writtenBytes} bytes`);
});

test("A redirect is a response, and its location is not requested", async () => {
  const second = await startShop((socket) => socket.write(answer));
  for (const status of [301, 302, 303, 307, 308]) {
    const first = await startShop((socket) =>
      socket.write(`HTTP/1.1 ${status} Go\r\nlocation: ${second.url}\r\ncontent-length: 0\r\n\r\n`),
    );
    const sent = await post(first.url);
    assert.deepEqual([sent.httpStatus, sent.failure], [status, undefined]);
  }
  assert.equal(second.counts.connections, 0);
});

test("A caller that stops waiting gets the result so far", async () => {
  const shop = await startShop(() => undefined);
  const sent = await post(shop.url, egress, AbortSignal.timeout(50));
  assert.equal(sent.failure, "timeout");
  assert.equal((await post(shop.url, egress, AbortSignal.abort())).failure, "no connection");
});

test("A blocked, unresolvable or closed address looks the same to the merchant, but not to the operator", async () => {
  const closed = createServer();
  const port = await listenOnFreePort(closed);
  closed.close();
  const resolveName = async (name: string): Promise<string[]> => {
    if (name === "inside.example") return ["8.8.8.8", "10.0.0.1"];
    throw new Error("queryA ENOTFOUND");
  };
  const resolvingEgress = openTestEgress({ resolveName });
  const sent = [
    await post("http://10.0.0.1/", resolvingEgress),
    await post("http://inside.example/", resolvingEgress),
    await post("http://nowhere.example/", resolvingEgress),
    await post(`http://127.0.0.1:${port}/`, resolvingEgress),
  ];
  assert.deepEqual(
    sent.map(({ failure }) => failure),
    ["blocked", "blocked", "no address", "no connection"],
  );
  assert.equal(sent[1]?.detail, "inside.example has the address 10.0.0.1: private");
  assert.equal(new Set(sent.map((outcome) => JSON.stringify(hideNetworkDetails(outcome)))).size, 1);
});

test("A name is resolved once for a connection, and its other addresses are tried if one is closed", async () => {
  const shop = await startShop((socket) => socket.write(answer));
  const port = Number(new URL(shop.url).port);
  let queryCount = 0;
  const resolveName = async (): Promise<string[]> => {
    queryCount += 1;
    return ["::1", "127.0.0.9", "127.0.0.1"];
  };
  const asking = openTestEgress({ resolveName, ports: [port] });
  for (let message = 0; message < 3; message++)
    assert.equal((await post(`http://shop.example:${port}/`, asking)).httpStatus, 200);
  assert.deepEqual([queryCount, shop.counts.connections], [1, 1]);
});

const secureShop = createHttpsServer(certificate, (_incoming, outgoing) => outgoing.end(acknowledged));
const securePort = await listenOnFreePort(secureShop);
after(() => secureShop.close());
const tlsEgress = openTestEgress({ resolveName: async () => ["127.0.0.1"], ports: [securePort] });

test("TLS uses the name of the URL, and the certificate must have it", async () => {
  const sent = await post(`https://shop.example:${securePort}/`, tlsEgress);
  assert.deepEqual([sent.httpStatus, sent.failure], [200, undefined]);
  assert.ok((sent.timings.tlsMs ?? 0) >= (sent.timings.connectMs ?? 1));
  assert.equal((await post(`https://127.0.0.1:${securePort}/`, tlsEgress)).httpStatus, 200);
  assert.equal((await post(`https://localhost:${securePort}/`, tlsEgress)).httpStatus, 200);
  for (const url of [`https://other.example:${securePort}/`, `https://127.0.0.2:${securePort}/`]) {
    const wrong = await post(url, tlsEgress);
    assert.deepEqual(
      [wrong.httpStatus, hideNetworkDetails(wrong).failure],
      [0, url.includes("other") ? "tls" : "could not be reached"],
    );
  }
});

test("An untrusted certificate is rejected, also if the environment variable says otherwise", async () => {
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  after(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]);
  const { cert } = await createTestCertificate("DNS:shop.example");
  const strict = openTestEgress({
    resolveName: async () => ["127.0.0.1"],
    ports: [securePort],
    certificateAuthority: cert,
  });
  assert.equal((await post(`https://shop.example:${securePort}/`, strict)).failure, "tls");
});

test("A server that does not speak TLS, or never ends its handshake, fails as TLS", async () => {
  const plain = await startShop((socket) => socket.end("HTTP/1.1 400 Bad\r\n\r\n"));
  assert.equal((await post(plain.url.replace("http:", "https:"))).failure, "tls");
  const silent = await startShop(() => undefined);
  assert.equal((await post(silent.url.replace("http:", "https:"), impatientEgress)).failure, "timeout");
});

/** A CONNECT proxy that connects every request to this machine, and records the requested names. */
async function startProxy(
  status = 200,
): Promise<{ readonly proxy: URL; readonly requestedTargets: string[] }> {
  const requestedTargets: string[] = [];
  const server = createHttpServer();
  server.on("connect", ({ url = "", headers }, socket: Socket) => {
    requestedTargets.push([url, headers["proxy-authorization"]].filter(Boolean).join(" "));
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const onward = connect(Number(url.split(":").at(-1)), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  const port = await listenOnFreePort(server);
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { proxy: new URL(`http://127.0.0.1:${port}`), requestedTargets };
}

test("Through an operator's proxy a live process reaches merchants by name, without DNS", async () => {
  const { proxy, requestedTargets } = await startProxy();
  proxy.username = "tollgate";
  proxy.password = "a:b";
  const through = openTestEgress({
    environment: "live",
    proxy,
    ports: [securePort],
    resolveName: () => Promise.reject(new Error("not asked")),
  });
  const url = `https://shop.example:${securePort}/`;
  assert.equal((await post(url, through)).httpStatus, 200);
  assert.equal((await post(url, through)).httpStatus, 200);
  const account = `Basic ${Buffer.from("tollgate:a:b").toString("base64")}`;
  assert.deepEqual(requestedTargets, [`shop.example:${securePort} ${account}`]);
});

test("A proxy does not allow forbidden addresses, and its rejections count as unreachable", async () => {
  const { proxy, requestedTargets } = await startProxy(403);
  const through = openTestEgress({ environment: "live", proxy });
  for (const url of [
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://localhost/",
    "https://db/",
    "http://shop.example/",
  ])
    assert.equal((await post(url, through)).failure, "blocked", url);
  assert.deepEqual(requestedTargets, []);
  const sent = await post("https://shop.example/", through);
  assert.deepEqual([sent.failure, sent.detail], ["no connection", "The proxy: HTTP 403"]);
});
