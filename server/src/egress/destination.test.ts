import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDestination, type Destination, type RefusedDestination } from "./destination.ts";

const live = { environment: "live", ports: [], allowsLoopback: false } as const;
const sandbox = { environment: "sandbox", ports: [], allowsLoopback: true } as const;

type Outcome = RefusedDestination["refused"] | "taken";

function outcome(destination: Destination | RefusedDestination): Outcome {
  return "refused" in destination ? destination.refused : "taken";
}

const longName = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;

const spellings: readonly (readonly [inLive: Outcome, inSandbox: Outcome, urls: readonly string[]])[] = [
  [
    "taken",
    "taken",
    [
      "https://shop.example/notify?a=1",
      "HTTPS://SHOP.EXAMPLE",
      "https://shop.example:8443/",
      "https://shop.example.",
    ],
  ],
  [
    "taken",
    "taken",
    ["https://8.8.8.8/", "https://[2606:4700::1111]/", "https://134744072/", "https://0x8.8.8.8/"],
  ],
  [
    "taken",
    "taken",
    [
      "https://bücher.example/",
      "https://xn--bcher-kva.example/",
      "https://_shop.example/",
      `https://${longName}/`,
    ],
  ],
  [
    "taken",
    "taken",
    [
      "  https://shop.example/ ",
      "ht\ntps://sh\top.example/",
      "https:\\\\shop.example\\notify",
      "https:shop.example",
    ],
  ],
  // Names that look like addresses are ordinary names: the gateway checks their addresses when it resolves them.
  [
    "taken",
    "taken",
    [
      "https://xn--lcalhost-54g.example/",
      "https://раураl.example/",
      "https://127.0.0.1.shop.example/",
      "https://127-0-0-1.shop.example/",
    ],
  ],
  [
    "not a URL",
    "not a URL",
    [
      "",
      "shop.example",
      "//shop.example/",
      "/notify",
      "https://",
      "https:///",
      "https://[",
      "https://[::1",
      "https://a b/",
    ],
  ],
  [
    "not a URL",
    "not a URL",
    [
      "https://256.1.1.1/",
      "https://1.2.3.4.5/",
      "https://0x7f.0.0.0.1/",
      "https://4294967296/",
      "https://shop.example:65536/",
      "https://shop.example:x/",
    ],
  ],
  [
    "not a URL",
    "not a URL",
    [
      "https://[fe80::1%25eth0]/",
      "https://[fe80::1%eth0]/",
      "https://[::1%25lo]/",
      "https://[::ffff:127.1]/",
      "https://sh%00op.example/",
      "https://sh%2fop.example/",
    ],
  ],
  [
    "scheme",
    "scheme",
    [
      "ftp://shop.example/",
      "file:///etc/passwd",
      "gopher://shop.example/",
      "ws://shop.example/",
      "wss://shop.example/",
      "data:,x",
      "javascript:1",
      "unix:/run/x.sock",
      "http+unix://x/",
      "shop.example:443",
    ],
  ],
  ["scheme", "taken", ["http://shop.example/", "http://8.8.8.8/", "http:\\\\shop.example/"]],
  [
    "user-info",
    "user-info",
    [
      "https://a@shop.example/",
      "https://a:b@shop.example/",
      "https://:b@shop.example/",
      "https://8.8.8.8@127.0.0.1/",
      "https://shop.example%40@127.0.0.1/",
    ],
  ],
  [
    "fragment",
    "fragment",
    ["https://shop.example/#", "https://shop.example/#a", "https://shop.example/?a#@127.0.0.1"],
  ],
  [
    "port",
    "port",
    ["0", "1", "22", "25", "53", "81", "444", "3306", "5432", "6379", "8080", "9200", "65535"].map(
      (port) => `https://shop.example:${port}/`,
    ),
  ],
  ["port", "taken", ["https://shop.example:80/", "https://8.8.8.8:80/"]],
  ["port", "port", ["https://8.8.8.8:22/", "https://[2606:4700::1111]:5432/"]],
  [
    "address",
    "taken",
    [
      "https://127.0.0.1/",
      "https://127.0.0.1:9999/",
      "https://127.1/",
      "https://127.0.1/",
      "https://2130706433/",
      "https://0x7f.1/",
      "https://0x7f000001/",
      "https://0177.0.0.1/",
      "https://017700000001/",
    ],
  ],
  [
    "address",
    "taken",
    [
      "https://127.0.0.1./",
      "https://127.255.255.254/",
      "https://[::1]/",
      "https://[0:0:0:0:0:0:0:1]/",
      "https://[::0001]/",
      "https://[::0.0.0.1]/",
    ],
  ],
  [
    "address",
    "taken",
    [
      "https://１２７.０.０.１/",
      "https://127。0。0。1/",
      "https://127．0．0．1/",
      "https://127｡0｡0｡1/",
      "https://①②⑦.0.0.1/",
      "https://𝟏𝟐𝟕.𝟎.𝟎.𝟏/",
      "https://12\t7.0.0\n.1/",
      "https://127%2e0%2e0%2e1/",
      "https://%31%32%37.0.0.1/",
    ],
  ],
  [
    "address",
    "address",
    [
      "https://0.0.0.0/",
      "https://0/",
      "https://10.0.0.1/",
      "https://0xa.1/",
      "https://012.0.0.1/",
      "https://167772161/",
      "https://169.254.169.254/latest",
      "https://2852039166/",
      "https://0xa9fea9fe/",
      "https://169.254.43518/",
    ],
  ],
  [
    "address",
    "address",
    [
      "https://192.168.1.1/",
      "https://192.168.257/",
      "https://172.16.0.1/",
      "https://100.64.0.1/",
      "https://255.255.255.255/",
      "https://4294967295/",
      "https://224.0.0.1/",
      "https://203.0.113.5/",
    ],
  ],
  [
    "address",
    "address",
    [
      "https://[::]/",
      "https://[::ffff:127.0.0.1]/",
      "https://[::ffff:7f00:1]/",
      "https://[::ffff:a9fe:a9fe]/",
      "https://[::127.0.0.1]/",
      "https://[64:ff9b::a00:1]/",
      "https://[64:ff9b:1::a00:1]/",
    ],
  ],
  [
    "address",
    "address",
    [
      "https://[2002:7f00:1::]/",
      "https://[2001:0:7f00:1::]/",
      "https://[fe80::1]/",
      "https://[fd00:ec2::254]/",
      "https://[fec0::1]/",
      "https://[ff02::1]/",
      "https://[5f00::1]/",
      "https://[100::1]/",
      "https://[2001:db8::1]/",
    ],
  ],
  [
    "name",
    "taken",
    [
      "https://localhost/",
      "https://LOCALHOST:9999/",
      "https://localhost./",
      "https://a.localhost/",
      "https://ｌocalhost/",
      "https://ⓛocalhost/",
    ],
  ],
  [
    "name",
    "name",
    [
      "https://intranet/",
      "https://db/",
      "https://shop.local/",
      "https://metadata.google.internal/",
      "https://metadata.google.internal./",
      "https://router.home.arpa/",
    ],
  ],
  [
    "name",
    "name",
    [
      `https://a${longName}/`,
      `https://${"a".repeat(64)}.example/`,
      "https://a..example/",
      "https://.example/",
      "https://shop.example../",
      "https://shop!.example/",
      "https://sh*p.example/",
      "https://a,b.example/",
      "https://xn--/",
      "https://./",
    ],
  ],
];

for (const [at, rules] of [live, sandbox].entries()) {
  test(`A notify URL of ${rules.environment} is judged by its meaning, in any spelling`, () => {
    for (const spelling of spellings)
      for (const url of spelling[2])
        assert.equal(outcome(parseDestination(url, rules)), spelling[at], JSON.stringify(url));
  });
}

test("An accepted URL has a fixed destination", () => {
  assert.deepEqual(parseDestination("https://Shop.Example.:8443/a/../b c?d=é", live), {
    isSecure: true,
    host: "shop.example",
    port: 8443,
    authority: "shop.example:8443",
    path: "/b%20c?d=%C3%A9",
    addresses: undefined,
  });
  assert.deepEqual(parseDestination("https://[2606:4700:0::1111]", live), {
    isSecure: true,
    host: "2606:4700::1111",
    port: 443,
    authority: "[2606:4700::1111]",
    path: "/",
    addresses: ["2606:4700::1111"],
  });
  assert.deepEqual(parseDestination("http://localhost:3000/n", sandbox), {
    isSecure: false,
    host: "localhost",
    port: 3000,
    authority: "localhost:3000",
    path: "/n",
    addresses: ["127.0.0.1", "::1"],
  });
});

test("An operator may allow more ports, but no addresses by that", () => {
  const rules = { ...live, ports: [9443] };
  assert.equal(outcome(parseDestination("https://shop.example:9443/", rules)), "taken");
  assert.equal(outcome(parseDestination("https://shop.example:9444/", rules)), "port");
  assert.equal(outcome(parseDestination("https://10.0.0.1:9443/", rules)), "address");
});

test("A sandbox for other users does not call its own machine, under any name", () => {
  const provider = { ...sandbox, allowsLoopback: false };
  for (const url of [
    "http://127.0.0.1:8080/",
    "http://127.1.2.3/",
    "http://[::1]:5432/",
    "http://2130706433/",
  ])
    assert.equal(outcome(parseDestination(url, provider)), "address", url);
  for (const url of ["http://localhost:3000/n", "http://shop.localhost/"])
    assert.equal(outcome(parseDestination(url, provider)), "name", url);
  assert.equal(outcome(parseDestination("http://shop.example/", provider)), "taken");
});

test("The sandbox does not call port 0, not even on its own machine", () => {
  assert.equal(outcome(parseDestination("http://127.0.0.1:0/", sandbox)), "port");
});
