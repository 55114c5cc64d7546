import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createTestCertificate } from "../../test/start/test-certificate.ts";
import { prepareTestGateway, writeTestFile } from "../../test/start/test-gateway.ts";
import { serve } from "./serve.ts";
import { readSettings } from "../settings/settings.ts";

test("the metric shows the expiry of the certificate, and after a reload that of the new one", async () => {
  const { variables } = await prepareTestGateway("sandbox");
  const first = await createTestCertificate("IP:127.0.0.1");
  // The validity of certificates has a resolution of one second, so the test waits longer.
  await delay(1_100);
  const second = await createTestCertificate("IP:127.0.0.1");
  const files = { cert: writeTestFile("tls.pem", first.cert), key: writeTestFile("tls.key", first.key) };
  const serving = await serve(
    readSettings({
      ...variables,
      TOLLGATE_TLS_CERTIFICATE_FILE: files.cert,
      TOLLGATE_TLS_KEY_FILE: files.key,
      TOLLGATE_METRICS_PORT: "0",
    }),
  );
  after(() => serving.stop());
  const readMetric = async (): Promise<number> => {
    const text = await (await fetch(`${serving.metricsUrl}/metrics`)).text();
    return Number(/^tollgate_certificate_expires_seconds (\d+)$/m.exec(text)?.[1]) * 1_000;
  };
  const certificateEndOf = ({ cert }: typeof first): number => Date.parse(new X509Certificate(cert).validTo);
  assert.equal(await readMetric(), certificateEndOf(first));
  await writeFile(files.cert, second.cert);
  await writeFile(files.key, second.key);
  await serving.reload();
  assert.equal(await readMetric(), certificateEndOf(second));
  assert.notEqual(certificateEndOf(first), certificateEndOf(second));
});
