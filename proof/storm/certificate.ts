import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Certificate } from "../trial/shop.ts";

/** A self-signed certificate in a file, which a process can be configured to trust. */
export interface CertificateOnDisk extends Certificate {
  readonly file: string;
  remove(): void;
}

export function newCertificate(host: string): CertificateOnDisk {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-certificate-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const [file, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const keyArgs = [
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
  ];
  const subjectArgs = ["-subj", "/CN=a proof", "-addext", `subjectAltName=DNS:${host}`];
  const args = ["req", ...keyArgs, ...subjectArgs, "-keyout", keyFile, "-out", file];
  execFileSync("openssl", args, { stdio: "ignore" });
  return { file, cert: readFileSync(file, "utf8"), key: readFileSync(keyFile, "utf8"), remove };
}
