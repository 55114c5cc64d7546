import assert from "node:assert/strict";
import { test } from "node:test";
import { isInStoreHost, parseRegionalHosts } from "./regional-host.ts";

const europe = { region: "EUROPE", host: "eu.pay.example" };
const stores = {
  region: "EUROPE",
  host: "eu-stores.pay.example",
  serves: "IN_STORE",
  standing: "ALTERNATIVE",
};

test("omitted settings have their defaults", () => {
  assert.deepEqual(parseRegionalHosts(JSON.stringify([europe, stores])), [
    { ...europe, serves: "ALL", standing: "RECOMMENDED" },
    stores,
  ]);
});

for (const [what, list, says] of [
  ["no list", {}, /must be a list/],
  ["another region", [{ ...europe, region: "MOON" }], /Host 1: region/],
  ["a scheme", [{ ...europe, host: "https://eu.pay.example" }], /Host 1: host/],
  ["a port", [{ ...europe, host: "eu.pay.example:443" }], /Host 1: host/],
  ["a single word", [{ ...europe, host: "eu" }], /Host 1: host/],
  ["no host", [europe, { region: "ASIA" }], /Host 2: host/],
  ["other merchants", [{ ...europe, serves: "SOME" }], /Host 1: serves/],
  ["another standing", [{ ...europe, standing: "OLD" }], /Host 1: standing/],
  ["a host twice", [europe, europe], /is listed twice/],
  ["nothing", [null], /Host 1: region/],
] as const) {
  test(`a list with ${what} is refused`, () => {
    assert.throws(() => parseRegionalHosts(JSON.stringify(list)), says);
  });
}

test("a host for in-store payments is recognised by its name, in any case and with any port", () => {
  const hosts = parseRegionalHosts(JSON.stringify([europe, stores]));
  for (const header of ["eu-stores.pay.example", "EU-STORES.pay.example:8443"])
    assert.ok(isInStoreHost(hosts, header), header);
  for (const header of ["eu.pay.example", "", "stores.pay.example", "eu-stores.pay.example.evil.example"])
    assert.ok(!isInStoreHost(hosts, header), header);
});
