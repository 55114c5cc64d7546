import assert from "node:assert/strict";
import { test } from "node:test";
import { callerAddress, networkOf, parseProxies } from "./network-address.ts";

test("an IPv6 caller counts by its /64 in any spelling, an IPv4 caller by its address", () => {
  const networks = {
    "2001:db8:1:2::1": "2001:db8:1:2::/64",
    "2001:0DB8:0001:0002:ffff:ffff:ffff:ffff": "2001:db8:1:2::/64",
    "2001:db8::": "2001:db8:0:0::/64",
    "::1": "0:0:0:0::/64",
    "1::": "1:0:0:0::/64",
    "fe80::1%eth0": "fe80:0:0:0::/64",
    "64:ff9b::192.0.2.1": "64:ff9b:0:0::/64",
    "192.0.2.1": "192.0.2.1",
  };
  for (const [address, network] of Object.entries(networks)) assert.equal(networkOf(address), network);
});

test("without configured proxies x-forwarded-for is ignored", () => {
  assert.equal(callerAddress("192.0.2.1", "198.51.100.7", parseProxies("")), "192.0.2.1");
  assert.equal(callerAddress("::ffff:192.0.2.1", undefined, parseProxies("")), "192.0.2.1");
});

test("behind the operator's proxies the last address that is no proxy counts", () => {
  const proxies = parseProxies("10.0.0.0/8, 2001:db8::/32, 192.0.2.9");
  const cases: readonly (readonly [connected: string, forwarded: string, counts: string])[] = [
    ["10.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "203.0.113.5, 198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "198.51.100.7, 10.2.3.4", "198.51.100.7"],
    ["::ffff:10.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
    ["2001:db8::1", "[2001:4860::8]:443", "2001:4860::8"],
    ["192.0.2.9", "198.51.100.7, 192.0.2.9", "198.51.100.7"],
    ["192.0.2.8", "198.51.100.7", "192.0.2.8"],
    // A malformed entry of `x-forwarded-for` is not trusted, nor are the entries before it.
    ["10.0.0.1", "198.51.100.7, unknown", "10.0.0.1"],
    ["10.0.0.1", "", "10.0.0.1"],
    ["10.0.0.1", "10.0.0.2", "10.0.0.2"],
  ];
  for (const [connected, forwarded, counts] of cases)
    assert.equal(callerAddress(connected, forwarded, proxies), counts);
});

test("an invalid list of proxies is rejected", () => {
  for (const text of [
    "10.0.0.0/33",
    "10.0.0/8",
    "2001:db8::/129",
    "proxy.internal",
    "10.0.0.0/",
    "10.0.0.0/-1",
  ])
    assert.throws(() => parseProxies(text), /is no network/, text);
});
