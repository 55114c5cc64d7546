import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

export interface Question {
  readonly name: string;
  readonly type: "A" | "AAAA" | "other";
  /** Number of earlier queries for this name and type. */
  readonly earlierCount: number;
  readonly isOverTcp: boolean;
}

export interface Answer {
  readonly records: readonly DnsRecord[];
  /** Response code: 0 no error, 2 server failure, 3 name does not exist. */
  readonly code?: number;
  readonly isTruncated?: boolean;
  readonly delayMs?: number;
  /** A false id for the answer, in place of the query's id. */
  readonly id?: number;
}

export interface DnsRecord {
  /** Replaces the queried name. */
  readonly name?: string;
  readonly type: "A" | "AAAA" | "CNAME";
  readonly bytes: Uint8Array;
}

/** Returns the answer to a DNS query: undefined for no answer, and bytes for a malformed answer. */
export type AnswerQuestion = (question: Question) => Answer | Uint8Array | undefined;

const typeNumbers = { A: 1, CNAME: 5, AAAA: 28 };

/** An attacker's name server: the given function returns each answer, with a TTL of 0 seconds. */
export async function startHostileDns(port: number, answerQuestion: AnswerQuestion): Promise<void> {
  const queryCounts = new Map<string, number>();
  const reply = (query: Buffer, isOverTcp: boolean, send: (bytes: Uint8Array) => void): void => {
    const { name, type, end } = readQuestion(query);
    const before = queryCounts.get(`${type} ${name}`) ?? 0;
    queryCounts.set(`${type} ${name}`, before + 1);
    const answer = answerQuestion({ name, type, earlierCount: before, isOverTcp });
    if (answer === undefined) return;
    if (answer instanceof Uint8Array) return send(answer);
    setTimeout(() => send(writeAnswer(query.subarray(0, end), answer)), answer.delayMs ?? 0);
  };

  const udp = createSocket("udp4");
  udp.on("message", (query, { port: to, address }) =>
    reply(query, false, (bytes) => udp.send(bytes, to, address)),
  );
  udp.bind(port, "127.0.0.1");
  const tcp = createServer((socket) => {
    let rest = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (
        let end = 0;
        rest.length >= 2 && rest.length >= (end = 2 + rest.readUInt16BE());
        rest = rest.subarray(end)
      )
        reply(rest.subarray(2, end), true, (answer) =>
          socket.write(Buffer.concat([uint16(answer.length), answer])),
        );
    });
  });
  tcp.listen(port, "127.0.0.1");
  await Promise.all([once(udp, "listening"), once(tcp, "listening")]);
}

function readQuestion(query: Buffer): Pick<Question, "name" | "type"> & { readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const number = query.readUInt16BE(at + 1);
  const type = number === typeNumbers.A ? "A" : number === typeNumbers.AAAA ? "AAAA" : "other";
  // Resolvers may mix upper and lower case, which makes forged answers harder.
  return { name: labels.join(".").toLowerCase(), type, end: at + 5 };
}

function writeAnswer(question: Buffer, { records, code = 0, isTruncated = false, id }: Answer): Buffer {
  const head = Buffer.concat([
    id === undefined ? question.subarray(0, 2) : uint16(id),
    uint16(0x8180 | code | (isTruncated ? 0x0200 : 0)),
    ...[1, records.length, 0, 0].map(uint16),
  ]);
  const written = records.map(({ name, type, bytes }) =>
    Buffer.concat([
      name === undefined ? uint16(0xc00c) : encodeName(name),
      ...[typeNumbers[type], 1, 0, 0, bytes.length].map(uint16),
      bytes,
    ]),
  );
  return Buffer.concat([head, question.subarray(12), ...written]);
}

export function encodeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 255);
}
