import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { forbiddenReason, isLoopback, parseIpAddress } from "./ip-address.ts";

/**
 * For every forbidden block: its first address, a few others and its last address, and the public neighbours of the
 * block.
 */
const blocks: readonly (readonly [name: string, inside: string, outside?: string])[] = [
  ["this network", "0.0.0.0 0.0.0.1 0.128.0.0 0.255.255.255", "1.0.0.0"],
  ["private", "10.0.0.0 10.0.0.1 10.127.255.1 10.255.255.255", "9.255.255.255 11.0.0.0"],
  ["shared by a carrier", "100.64.0.0 100.100.100.200 100.127.255.255", "100.63.255.255 100.128.0.0"],
  ["loopback", "127.0.0.0 127.0.0.1 127.53.1.9 127.255.255.255", "126.255.255.255 128.0.0.0"],
  ["link-local", "169.254.0.0 169.254.169.254 169.254.255.255", "169.253.255.255 169.255.0.0"],
  ["private", "172.16.0.0 172.17.0.1 172.24.0.0 172.31.255.255", "172.15.255.255 172.32.0.0"],
  [
    "protocol assignments",
    "192.0.0.0 192.0.0.8 192.0.0.170 192.0.0.192 192.0.0.255",
    "191.255.255.255 192.0.1.0",
  ],
  ["documentation", "192.0.2.0 192.0.2.128 192.0.2.255", "192.0.1.255 192.0.3.0"],
  ["AS112", "192.31.196.0 192.31.196.128 192.31.196.255", "192.31.195.255 192.31.197.0"],
  ["multicast relays", "192.52.193.0 192.52.193.1 192.52.193.255", "192.52.192.255 192.52.194.0"],
  ["6to4 relays", "192.88.99.0 192.88.99.1 192.88.99.255", "192.88.98.255 192.88.100.0"],
  ["private", "192.168.0.0 192.168.1.1 192.168.128.0 192.168.255.255", "192.167.255.255 192.169.0.0"],
  ["AS112", "192.175.48.0 192.175.48.42 192.175.48.255", "192.175.47.255 192.175.49.0"],
  ["benchmarks", "198.18.0.0 198.18.255.255 198.19.0.0 198.19.255.255", "198.17.255.255 198.20.0.0"],
  ["documentation", "198.51.100.0 198.51.100.128 198.51.100.255", "198.51.99.255 198.51.101.0"],
  ["documentation", "203.0.113.0 203.0.113.128 203.0.113.255", "203.0.112.255 203.0.114.0"],
  ["multicast", "224.0.0.0 224.0.0.1 232.0.0.0 239.255.255.255", "223.255.255.255"],
  ["class E", "240.0.0.0 248.0.0.0 255.255.255.254 255.255.255.255"],
  ["a cloud's own", "168.63.129.16", "168.63.129.15 168.63.129.17"],
  ["unspecified", "::"],
  ["loopback", "::1"],
  ["IPv4-compatible", "::2 ::127.0.0.1 ::8.8.8.8 ::ffff:ffff"],
  ["IPv4-mapped", "::ffff:0:0 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::ffff:ffff:ffff"],
  ["IPv4-translated", "::ffff:0:0:0 ::ffff:0:127.0.0.1 ::ffff:0:ffff:ffff"],
  ["NAT64", "64:ff9b:: 64:ff9b::10.0.0.1 64:ff9b::808:808 64:ff9b::ffff:ffff"],
  ["local NAT64", "64:ff9b:1:: 64:ff9b:1::a00:1 64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["discard", "100:: 100::8000:0:0:0 100::ffff:ffff:ffff:ffff"],
  ["dummy", "100:0:0:1:: 100:0:0:1:ffff:ffff:ffff:ffff"],
  ["Teredo", "2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["benchmarks", "2001:2:: 2001:2::1 2001:2:0:ffff:ffff:ffff:ffff:ffff"],
  ["ORCHID", "2001:10:: 2001:18::1 2001:1f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["ORCHID", "2001:20:: 2001:28::1 2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"],
  [
    "protocol assignments",
    "2001:1::1 2001:3:: 2001:4:112:: 2001:30:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:200::",
  ],
  [
    "documentation",
    "2001:db8:: 2001:db8:8000::1 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db7:ffff:: 2001:db9::",
  ],
  ["6to4", "2002:: 2002:7f00:1:: 2002:a00:1:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"],
  [
    "AS112",
    "2620:4f:8000:: 2620:4f:8000::42 2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:7fff:: 2620:4f:8001::",
  ],
  ["6bone", "3ffe:: 3ffe:8000::1 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffd::1"],
  ["documentation", "3fff:: 3fff:800:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"],
  ["segment routing", "5f00:: 5f00:8000::1 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["unique local", "fc00:: fd00:ec2::254 fd20:ce::254 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["link-local", "fe80:: fe80::a9fe:a9fe febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["site-local", "fec0:: fee0::1 feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["multicast", "ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  [
    "not handed out",
    "100:0:0:2:: 200:: 1fff:: 4000:: 5eff:: 8000:: e000:: fbff:: fe00:: fe7f::",
    "2000:: 3fff:ffff::",
  ],
  [
    "tunnel to: private",
    "2a00:1::5efe:10.0.0.1 2a00:1::200:5efe:192.168.0.1",
    "2a00:1::5efe:8.8.8.8 2a00:1::5eff:10.0.0.1",
  ],
];

const live = { allowsLoopback: false };
const sandbox = { allowsLoopback: true };

function reasonFor(text: string, rules = live): string | undefined {
  const address = parseIpAddress(text);
  assert.ok(address, `${text} is an address`);
  return forbiddenReason(address, rules);
}

test("No special-use address is called, and its public neighbours are", () => {
  for (const [name, inside, outside = ""] of blocks) {
    for (const text of inside.split(" ")) assert.equal(reasonFor(text), name, text);
    for (const text of outside.split(" ").filter(Boolean)) assert.equal(reasonFor(text), undefined, text);
  }
});

test("Public addresses are called", () => {
  const texts =
    "1.1.1.1 8.8.8.8 93.184.215.14 100.63.0.1 223.255.255.254 2606:4700::1111 2a00:1450:4001::200e 2001:4860::8888";
  for (const text of texts.split(" ")) assert.equal(reasonFor(text), undefined, text);
});

test("The sandbox may call its own machine, and no other forbidden address", () => {
  for (const text of "127.0.0.1 127.255.255.255 ::1".split(" "))
    assert.equal(reasonFor(text, sandbox), undefined, text);
  for (const [name, inside] of blocks.filter(([block]) => block !== "loopback"))
    for (const text of inside.split(" ")) assert.equal(reasonFor(text, sandbox), name, text);
  assert.equal(reasonFor("2a00:1::5efe:127.0.0.1", sandbox), "tunnel to: loopback");
});

test("Only strict spellings are addresses", () => {
  const texts = [
    ..."127.1 2130706433 0x7f.0.0.1 0177.0.0.1 127.0.0.01 127.0.0.1. 256.0.0.1 1.2.3 1.2.3.4.5 .1.2.3".split(
      " ",
    ),
    ..."::: 1:2 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1::2::3 12345:: g:: 1:2:3:4:5:6:7::8 fe80::1%lo [::1] :1::".split(
      " ",
    ),
    ..."-1.0.0.0 +1.0.0.0 1e1.0.0.0 １２７.0.0.1 ::1.2.3 ::1.2.3.4:5 localhost".split(" "),
    "",
    " 127.0.0.1",
    "127.0.0.1 ",
  ];
  for (const text of texts) assert.equal(parseIpAddress(text), undefined, text);
});

test("Every spelling of an IPv6 address is parsed to the same sixteen bytes", () => {
  const spellings = ["::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:FFFF:7F00:0001", "0000::ffff:7f00:0001"];
  for (const text of spellings)
    assert.deepEqual(
      parseIpAddress(text),
      Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1),
      text,
    );
});

test("An address that the URL parser writes is parsed back to the same address", () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const normalised = new URL(`http://[${text}]/`).hostname.slice(1, -1);
      assert.deepEqual(parseIpAddress(normalised), parseIpAddress(text));
      assert.ok(parseIpAddress(text));
    }),
  );
  fc.assert(
    fc.property(fc.ipV4Extended(), (text) => {
      assert.equal(parseIpAddress(new URL(`http://${text}/`).hostname)?.length, 4);
    }),
  );
});

test("No IPv6 address outside of 2000::/3 is called", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (address) => {
      fc.pre((address[0] ?? 0) >> 5 !== 1 && !isLoopback(address));
      assert.notEqual(forbiddenReason(address, sandbox), undefined);
    }),
  );
});
