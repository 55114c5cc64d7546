import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for names and addresses in OpenSSL's format: `DNS:shop.example,IP:127.0.0.1`. */
export async function createTestCertificate(
  names: string,
  keyKind: "ec" | "rsa" = "ec",
): Promise<TestCertificate> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-certificate-"));
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const size = { ec: "ec_paramgen_curve:prime256v1", rsa: "rsa_keygen_bits:2048" }[keyKind];
  const kind = ["-x509", "-newkey", keyKind, "-pkeyopt", size, "-nodes", "-days", "2"];
  const about = ["-subj", "/CN=a test", "-addext", `subjectAltName=${names}`];
  try {
    await promisify(execFile)("openssl", ["req", ...kind, ...about, "-keyout", keyFile, "-out", certFile]);
    return { cert: await readFile(certFile, "utf8"), key: await readFile(keyFile, "utf8") };
  } finally {
    await rm(folder, { recursive: true });
  }
}
