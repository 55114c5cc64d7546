import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

export interface Delivered {
  /** The envelope recipients, separated by a space. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface SmtpServer {
  readonly url: string;
  /** `emailTo` returns the next email to an address, also one that arrived before. Each email is returned once. */
  emailTo(address: string): Promise<Delivered>;
  /** All emails so far. */
  readonly delivered: readonly Delivered[];
  close(): void;
}

const patienceMs = 10_000;

/** `startSmtpServer` starts a minimal SMTP server (RFC 5321) on the loopback address. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const delivered: Delivered[] = [];
  const unread: Delivered[] = [];
  const waiting = new Set<() => void>();
  const deliver = (letter: Delivered): void => {
    delivered.push(letter);
    unread.push(letter);
    for (const look of waiting) look();
  };
  const server = createServer((socket) => converse(socket, deliver)).listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delivered,
    close: () => void server.close(),
    async emailTo(address) {
      return new Promise((resolve, reject) => {
        const give = (letter: Delivered | undefined): void => {
          clearTimeout(timer);
          waiting.delete(look);
          if (letter) resolve(letter);
          else reject(new Error(`No email to ${address} arrived.`));
        };
        const look = (): void => {
          const at = unread.findIndex(({ to }) => to === address);
          if (at >= 0) give(unread.splice(at, 1)[0]);
        };
        const timer = setTimeout(() => give(undefined), patienceMs);
        waiting.add(look);
        look();
      });
    },
  };
}

function converse(socket: Socket, deliver: (letter: Delivered) => void): void {
  let text = "";
  let to = "";
  let isData = false;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const answers: Readonly<Record<string, string>> = { EHLO: "250 test", DATA: "354 go on", QUIT: "221 bye" };

  const hear = (line: string): void => {
    const [word = ""] = line.toUpperCase().split(" ");
    if (word === "MAIL") to = "";
    if (word === "RCPT") to = `${to} ${/<([^>]*)>/.exec(line)?.[1] ?? ""}`.trim();
    isData = word === "DATA";
    say(answers[word] ?? "250 ok");
    if (word === "QUIT") socket.end();
  };

  socket.on("error", () => undefined);
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    for (;;) {
      const end = isData ? "\r\n.\r\n" : "\r\n";
      const at = text.indexOf(end);
      if (at < 0) return;
      const piece = text.slice(0, at);
      text = text.slice(at + end.length);
      if (isData) {
        isData = false;
        deliver(letterIn(to, piece));
        say("250 delivered");
      } else hear(piece);
    }
  });
  say("220 test");
}

function letterIn(to: string, message: string): Delivered {
  const at = message.indexOf("\r\n\r\n");
  const head = message.slice(0, at).replaceAll(/\r\n\s+/g, " ");
  const body = message.slice(at + 4).replaceAll(/^\.\./gm, ".");
  const isQuoted = /^content-transfer-encoding: quoted-printable/im.test(head);
  const subject = /^subject: (.*)$/im.exec(head)?.[1] ?? "";
  return { to, subject, text: isQuoted ? unquoted(body) : body };
}

/** Quoted-printable (RFC 2045). */
function unquoted(body: string): string {
  return body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
