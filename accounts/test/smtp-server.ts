import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

export interface DeliveredEmail {
  /** The envelope recipients, separated by a space. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface SmtpServer {
  readonly url: string;
  /** `emailTo` returns the next email to an address, also one that arrived before. Each email is returned once. */
  emailTo(address: string): Promise<DeliveredEmail>;
  /** All emails so far. */
  readonly delivered: readonly DeliveredEmail[];
  close(): void;
}

const emailTimeoutMs = 10_000;

/** `startSmtpServer` starts a minimal SMTP server (RFC 5321) on the loopback address. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const delivered: DeliveredEmail[] = [];
  const unread: DeliveredEmail[] = [];
  const waiters = new Set<() => void>();
  const deliver = (email: DeliveredEmail): void => {
    delivered.push(email);
    unread.push(email);
    for (const checkUnread of waiters) checkUnread();
  };
  const server = createServer((socket) => serveConnection(socket, deliver)).listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delivered,
    close: () => void server.close(),
    async emailTo(address) {
      return new Promise((resolve, reject) => {
        const settle = (email: DeliveredEmail | undefined): void => {
          clearTimeout(timer);
          waiters.delete(checkUnread);
          if (email) resolve(email);
          else reject(new Error(`No email to ${address} arrived.`));
        };
        const checkUnread = (): void => {
          const at = unread.findIndex(({ to }) => to === address);
          if (at >= 0) settle(unread.splice(at, 1)[0]);
        };
        const timer = setTimeout(() => settle(undefined), emailTimeoutMs);
        waiters.add(checkUnread);
        checkUnread();
      });
    },
  };
}

function serveConnection(socket: Socket, deliver: (email: DeliveredEmail) => void): void {
  let text = "";
  let to = "";
  let isData = false;
  const sendLine = (line: string): void => void socket.write(`${line}\r\n`);
  const answers: Readonly<Record<string, string>> = { EHLO: "250 test", DATA: "354 go on", QUIT: "221 bye" };

  const handleLine = (line: string): void => {
    const [command = ""] = line.toUpperCase().split(" ");
    if (command === "MAIL") to = "";
    if (command === "RCPT") to = `${to} ${/<([^>]*)>/.exec(line)?.[1] ?? ""}`.trim();
    isData = command === "DATA";
    sendLine(answers[command] ?? "250 ok");
    if (command === "QUIT") socket.end();
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
        deliver(parseEmail(to, piece));
        sendLine("250 delivered");
      } else handleLine(piece);
    }
  });
  sendLine("220 test");
}

function parseEmail(to: string, message: string): DeliveredEmail {
  const at = message.indexOf("\r\n\r\n");
  const head = message.slice(0, at).replaceAll(/\r\n\s+/g, " ");
  const body = message.slice(at + 4).replaceAll(/^\.\./gm, ".");
  const isQuoted = /^content-transfer-encoding: quoted-printable/im.test(head);
  const subject = /^subject: (.*)$/im.exec(head)?.[1] ?? "";
  return { to, subject, text: isQuoted ? decodeQuotedPrintable(body) : body };
}

/** Quoted-printable (RFC 2045). */
function decodeQuotedPrintable(body: string): string {
  return body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
