/** Whether a host name or an address, without brackets or port, is this machine's own (loopback). */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/i.test(host);
}
