import { parseIpAddress } from "../../src/egress/ip-address.ts";
import {
  encodeName,
  type Answer,
  type AnswerQuestion,
  type DnsRecord,
  type Question,
} from "./hostile-dns.ts";

/** The two addresses of an honest merchant, the only ones that may receive requests. */
export const merchantAddresses = { ipv4: "93.184.215.14", ipv6: "2606:2800:21f::1" };

/** Allowed, but without a listener. */
export const closedPort = 9_999;

/**
 * Addresses that a merchant must not reach through the gateway (SSRF): cloud metadata, other machines, the database,
 * the gateway itself.
 */
const forbiddenIpv4 =
  "0.0.0.0 0.0.0.1 10.0.0.1 10.255.255.254 100.64.0.1 100.100.100.200 127.0.0.1 127.0.0.53 127.255.255.254 " +
  "169.254.169.254 169.254.170.2 172.16.0.1 172.17.0.1 172.31.255.254 192.0.0.192 192.0.2.1 192.88.99.1 " +
  "192.168.0.1 192.168.255.254 198.18.0.1 198.19.255.254 198.51.100.1 203.0.113.1 240.0.0.1 255.255.255.254 " +
  "168.63.129.16 224.0.0.1 255.255.255.255";
const forbiddenIpv6 =
  ":: ::1 ::2 ::7f00:1 ::ffff:7f00:1 ::ffff:a00:1 ::ffff:a9fe:a9fe ::ffff:5db8:d70e ::ffff:0:7f00:1 64:ff9b::7f00:1 " +
  "64:ff9b::a9fe:a9fe 64:ff9b::5db8:d70e 64:ff9b:1::a00:1 100::1 100:0:0:1::1 2001::1 2001:0:7f00:1::1 2001:2::1 " +
  "2001:10::1 2001:20::1 2001:1ff::1 2001:db8::1 2002:7f00:1::1 2002:a9fe:a9fe::1 2002:a00:1::1 3fff::1 5f00::1 " +
  "4000::1 fc00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fe80::a9fe:a9fe fec0::1 ff02::1 2a00:1::5efe:a00:1";

export interface SsrfAttempt {
  readonly url: string;
  readonly environment: "live" | "sandbox";
  /** Number of requests in a row. With DNS rebinding, the DNS answer changes at the second request. */
  readonly times?: number;
}

const environments = ["live", "sandbox"] as const;
const isLoopback = (address: string): boolean => /^127\.|^::1$/.test(address);
const forbiddenAddresses = [...forbiddenIpv4.split(" "), ...forbiddenIpv6.split(" ")];

function ipv4Spellings(ipv4: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split(".").map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const wide = ipv4.replaceAll(/./g, (sign) =>
    sign === "." ? "。" : String.fromCodePoint(0xff10 + Number(sign)),
  );
  return [
    ipv4,
    `${ipv4}.`,
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    `${a}.${b * 65536 + c * 256 + d}`,
    `0x${a.toString(16)}.0${b.toString(8)}.${c}.${d}`,
    wide,
    `%3${String(a)[0]}${ipv4.slice(1)}`,
  ];
}

/** Tricks in the URL itself. */
function addressAttempts(): SsrfAttempt[] {
  const hosts = forbiddenAddresses.flatMap((address) =>
    address.includes(":")
      ? [[address, `[${address}]`]]
      : ipv4Spellings(address).map((spelled) => [address, spelled]),
  );
  return environments.flatMap((environment) =>
    hosts
      .filter(([address = ""]) => environment === "live" || !isLoopback(address))
      .map(([, host]) => ({
        environment,
        url: `${environment === "live" ? "https" : "http"}://${host}/latest/meta-data`,
      })),
  );
}

/** URLs that the gateway must reject for another reason than their address, such as the port. */
function urlAttempts(): SsrfAttempt[] {
  const { ipv4 } = merchantAddresses;
  const ports = [0, 1, 22, 25, 53, 5432, 6379, 8080, 9200, 65535];
  const live = [
    ...ports.flatMap((port) => [`https://${ipv4}:${port}/`, `https://honest.shop.example:${port}/`]),
    ...["http", "ftp", "gopher", "file", "ws", "wss"].map((scheme) => `${scheme}://${ipv4}/`),
    `https://${ipv4}@10.0.0.1/`,
    `https://a:b@${ipv4}/`,
    `https://${ipv4}#@10.0.0.1/`,
    `https://${ipv4}/#`,
    `https://${ipv4}\\@10.0.0.1/#`,
    `https://10.0.0.1\\@${ipv4}/`,
    "https:\\\\10.0.0.1/",
    "https:10.0.0.1",
    "https://localhost/",
    "https://LocalHost./",
    "https://a.localhost/",
    "https://ⓛocalhost/",
    "https://db/",
    "https://metadata.google.internal/",
    "https://printer.local/",
    "https://[fe80::1%25lo]/",
    "https://[::1",
    "https://10.0.0.1:443:80/",
    "https://10.0.0.1%00.example/",
    "https://10.0.0.1\t/",
    "https://１０.0.0.1/",
    `https://${"a.".repeat(127)}example/`,
    "https://a..example/",
    "https://xn--/",
    "https://*.example/",
  ];
  return live.map((url) => ({ environment: "live", url }));
}

/** Names of an attacking merchant, and their DNS answers. */
const zone = new Map<string, (question: Question) => ReturnType<AnswerQuestion>>();

function newName(answer: (question: Question) => ReturnType<AnswerQuestion>, name?: string): string {
  const fresh = name ?? `trick-${zone.size}.shop.example`;
  zone.set(fresh, answer);
  return fresh;
}

export const answerQuestion: AnswerQuestion = (question) =>
  (zone.get(question.name) ?? (() => ({ records: [], code: 3 })))(question);

const answerWith =
  (...addresses: readonly string[]) =>
  ({ type }: Pick<Question, "type">): Answer => ({
    records: addresses.map(record).filter((one) => one.type === type),
  });

function record(address: string): DnsRecord {
  return { type: address.includes(":") ? "AAAA" : "A", bytes: parseIpAddress(address) ?? new Uint8Array() };
}

const alias = (to: string, name?: string): DnsRecord => ({
  type: "CNAME",
  bytes: encodeName(to),
  ...(name === undefined ? {} : { name }),
});

/**
 * Tricks in DNS answers: forbidden addresses alone, before, after and between allowed ones, and in later answers
 * (rebinding).
 */
function nameAttempts(): SsrfAttempt[] {
  const { ipv4, ipv6 } = merchantAddresses;
  const allowedAddresses = Array.from({ length: 49 }, (_, at) => `93.184.215.${at + 100}`);
  return environments.flatMap((environment) =>
    forbiddenAddresses
      .filter((address) => environment === "live" || !isLoopback(address))
      .flatMap((address): readonly [name: string, times?: number][] => [
        [newName(answerWith(address))],
        [newName(answerWith(ipv4, address, ipv6))],
        [newName(answerWith(address, ipv4, ipv6))],
        [newName(answerWith(...allowedAddresses, address))],
        [newName((question) => answerWith(question.earlierCount === 0 ? ipv4 : address)(question)), 3],
        [
          newName((question) => ({
            records: [
              alias("a.example"),
              alias("b.example", "a.example"),
              ...answerWith(address)(question).records.map((one) => ({ ...one, name: "b.example" })),
            ],
          })),
        ],
      ])
      .map(([name, times]) => ({
        environment,
        url: `${environment === "live" ? "https" : "http"}://${name}/`,
        ...(times === undefined ? {} : { times }),
      })),
  );
}

/** Answers that are late, empty, truncated, malformed or missing. */
function brokenAnswerAttempts(): SsrfAttempt[] {
  const { ipv4 } = merchantAddresses;
  const loop = newName(() => ({ records: [alias("loop.example")] }), "loop.example");
  const names = [
    loop,
    newName(() => undefined),
    newName((question) => ({ ...answerWith("10.0.0.1")(question), delayMs: 1_800 })),
    newName((question) => ({ ...answerWith("10.0.0.1")(question), delayMs: 300 })),
    newName((question) => (question.type === "A" ? undefined : answerWith("fd00::1")(question))),
    newName(() => ({ records: [] })),
    newName(() => ({ records: [], code: 2 })),
    newName(() => ({ records: [], code: 3 })),
    newName(() => ({ records: [], code: 5 })),
    newName((question) => ({ ...answerWith("10.0.0.1")(question), code: 3 })),
    newName(() => Buffer.alloc(512, 0xff)),
    newName(() => Buffer.alloc(3)),
    newName((question) => ({ ...answerWith(ipv4)(question), id: 1 })),
    newName((question) =>
      question.isOverTcp ? answerWith("10.0.0.1")(question) : { records: [], isTruncated: true },
    ),
    newName((question) => (question.isOverTcp ? undefined : { records: [], isTruncated: true })),
    newName(() => ({ records: [{ type: "A", bytes: Uint8Array.of(10, 0, 0) }] })),
    newName(() => ({ records: [{ type: "A", bytes: Uint8Array.of(10, 0, 0, 1, 93) }] })),
    newName(() => ({ records: [alias("localhost")] })),
    newName(() => ({ records: [alias("metadata.google.internal")] })),
    newName(() => ({ records: [alias("10.0.0.1")] })),
  ];
  const closed = [`https://${ipv4}:${closedPort}/`, `https://honest.shop.example:${closedPort}/`];
  return [...names.map((name) => `https://${name}/`), ...closed].map((url) => ({ environment: "live", url }));
}

export const ssrfAttempts: readonly SsrfAttempt[] = [
  ...addressAttempts(),
  ...urlAttempts(),
  ...nameAttempts(),
  ...brokenAnswerAttempts(),
];

/** Allowed requests that must succeed, or the test would prove nothing. */
export const allowedRequests: readonly SsrfAttempt[] = environments.flatMap((environment) => {
  const { ipv4, ipv6 } = merchantAddresses;
  const names = [
    newName(answerWith(ipv4), `honest-${environment}.shop.example`),
    newName(answerWith(ipv6)),
    newName(answerWith(ipv4, ipv6)),
    newName((question) => ({ ...answerWith(ipv4)(question), delayMs: 100 })),
    newName((question) => (question.type === "A" ? answerWith(ipv4)(question) : { records: [], code: 2 })),
    newName((question) =>
      question.isOverTcp ? answerWith(ipv4)(question) : { records: [], isTruncated: true },
    ),
    newName((question) => ({
      records: [
        alias("shop.example"),
        ...answerWith(ipv4)(question).records.map((one) => ({ ...one, name: "shop.example" })),
      ],
    })),
    newName(answerWith(...Array.from({ length: 50 }, () => ipv4))),
  ];
  const hosts = [ipv4, `[${ipv6}]`, ...names, `${names[0]}.`, "1572394766"];
  const scheme = environment === "live" ? "https" : "http";
  return hosts.flatMap((host) => [
    { environment, url: `${scheme}://${host}/` },
    { environment, url: `https://${host}:8443/` },
  ]);
});
newName(answerWith(merchantAddresses.ipv4), "honest.shop.example");

/** Targets of redirects from the honest address. */
export const redirectAttempts: readonly SsrfAttempt[] = [301, 302, 303, 307, 308].flatMap((status) =>
  [
    "https://10.0.0.1/",
    "https://169.254.169.254/latest",
    "https://[::1]/",
    "https://localhost:5432/",
    `https://${merchantAddresses.ipv4}/second`,
  ].map((to) => ({
    environment: "live",
    url: `https://honest.shop.example/redirect?status=${status}&to=${encodeURIComponent(to)}`,
  })),
);
