/** Names in a user agent, most specific first: most browsers also contain the names Chrome or Safari. */
const browsers = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const systems = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;

/** `browserName` returns, for example, "Chrome, Linux", so that people recognise their own device. */
export function browserName(userAgent: string): string | undefined {
  const find = (table: readonly (readonly [string, string])[]): string | undefined =>
    table.find(([sign]) => userAgent.includes(sign))?.[1];
  const names = [find(browsers), find(systems)].filter((name) => name !== undefined);
  return names.length > 0 ? names.join(", ") : undefined;
}
