import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** A self-signed certificate for this machine's own names, for development only. */
export async function createCertificate(folder: string, address: string): Promise<Certificate> {
  const certificateFile = join(folder, "certificate.pem");
  const keyFile = join(folder, "certificate-key.pem");
  const names = `subjectAltName=DNS:localhost,IP:127.0.0.1${address === "127.0.0.1" ? "" : `,IP:${address}`}`;
  const certificateOptions = [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "30",
    "-subj",
    "/CN=localhost",
  ];
  const files = ["-addext", names, "-keyout", keyFile, "-out", certificateFile];
  await promisify(execFile)("openssl", [...certificateOptions, ...files]).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      throw new Error("--https-port needs openssl, which is not installed. Install it, or omit the option.");
    },
  );
  return { certificateFile, keyFile };
}
