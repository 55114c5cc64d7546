import assert from "node:assert/strict";
import { test } from "node:test";
import { connectorUrlProblem } from "./connector.ts";

const acceptedUrls = {
  both: [
    "https://wallet.example",
    "https://wallet.example:8443/base",
    "http://127.0.0.1:9000",
    "http://[::1]:9000",
  ],
  "sandbox only": [
    "http://wallet.example",
    "http://localhost:9000",
    "http://10.0.0.5",
    "http://127.0.0.1.example",
  ],
  none: [
    "wallet.example",
    "",
    "//wallet.example",
    "ftp://wallet.example",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://user:secret@wallet.example",
    "https://wallet.example?key=1",
    "https://wallet.example#part",
  ],
};

for (const [environment, urls] of Object.entries(acceptedUrls)) {
  test(`provider URLs that are accepted by ${environment}`, () => {
    for (const url of urls) {
      const [live, sandbox] = [connectorUrlProblem(url, "live"), connectorUrlProblem(url, "sandbox")];
      assert.equal(live === undefined, environment === "both", url);
      assert.equal(sandbox === undefined, environment !== "none", url);
      // The message must not contain the URL, because the URL may contain a password, and the message is logged.
      assert.doesNotMatch(`${live} ${sandbox}`, /secret/);
    }
  });
}
