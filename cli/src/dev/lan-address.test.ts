import assert from "node:assert/strict";
import type { NetworkInterfaceInfo } from "node:os";
import { test } from "node:test";
import { findLanAddress } from "./lan-address.ts";

function createInterface(address: string, internal = false): NetworkInterfaceInfo {
  return {
    address,
    internal,
    family: "IPv4",
    netmask: "255.255.255.0",
    mac: "00:00:00:00:00:00",
    cidr: null,
  };
}

test("a phone gets the address of the network that it is in", () => {
  const lo = [createInterface("127.0.0.1", true)];
  assert.equal(findLanAddress({ lo, wlan0: [createInterface("192.168.1.7")] }), "192.168.1.7");
  assert.equal(
    findLanAddress({ lo, docker0: [createInterface("172.17.0.1")], eth0: [createInterface("10.0.0.4")] }),
    "10.0.0.4",
  );
  assert.equal(
    findLanAddress({ eth0: [createInterface("203.0.113.9")], eth1: [createInterface("192.168.1.7")] }),
    "192.168.1.7",
  );
});

test("a machine without a network gets an error with instructions", () => {
  assert.throws(
    () =>
      findLanAddress({ lo: [createInterface("127.0.0.1", true)], eth0: [createInterface("169.254.3.4")] }),
    /^Error: --lan needs a network, and this machine has no IPv4 address in one\. Connect it to the phone's Wi-Fi, or start without --lan\.$/,
  );
});
