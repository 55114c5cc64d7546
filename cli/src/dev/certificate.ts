import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** A self-signed certificate for this machine's own names, for development only. */
export async function makeCertificate(
  folder: string,
): Promise<{ readonly certificateFile: string; readonly keyFile: string }> {
  const certificateFile = join(folder, "certificate.pem");
  const keyFile = join(folder, "certificate-key.pem");
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost"];
  await promisify(execFile)("openssl", [
    ...words,
    "-addext",
    names,
    "-keyout",
    keyFile,
    "-out",
    certificateFile,
  ]);
  return { certificateFile, keyFile };
}
