import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEvents } from "./event-stream.ts";

const text =
  'retry: 1000\n\nid: 41\nevent: notifyPayment\ndata: {"requestTime":"t1","signature":"s1","body":"{\\"a\\": \\"b:\\\\n\\"}"}\n\n' +
  ':\n\nid: 42\nevent: notifyRefund\ndata: {"requestTime":"t2","signature":"s2","body":"{}"}\n\nid: 43\nevent: cut';

/** Splits the text into pieces of this length, at any place. */
async function* splitText(length: number): AsyncIterable<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

test("events are read completely wherever the stream is split, and heartbeats are not events", async () => {
  for (const length of [1, 2, 7, 100, 10_000]) {
    const events = [];
    for await (const event of parseEvents(splitText(length))) events.push(event);
    assert.deepEqual(events, [
      { cursor: "41", kind: "notifyPayment", requestTime: "t1", signature: "s1", body: '{"a": "b:\\n"}' },
      { cursor: "42", kind: "notifyRefund", requestTime: "t2", signature: "s2", body: "{}" },
    ]);
  }
});
