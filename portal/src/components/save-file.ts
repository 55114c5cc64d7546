/** `saveFile` downloads content as a file without a server. */
export function saveFile(name: string, content: BlobPart, type = "application/x-pem-file"): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
