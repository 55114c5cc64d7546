import { randomInt } from "node:crypto";

export interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** An HTTP client that handles cookies and origins as a browser does, and has no other feature of a browser. */
export interface TestBrowser {
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The session token in the cookie. */
  token(): string | undefined;
  useToken(token: string | undefined): void;
  /** The token of the device cookie. */
  device(): string | undefined;
  useDevice(token: string | undefined): void;
  /** `move` changes the network address from which all later requests come. */
  move(): void;
}

export function newTestBrowser({
  url,
  through,
  site = "portal",
}: {
  readonly url: string;
  readonly through: string;
  readonly site?: "portal" | "operator";
}): TestBrowser {
  const cookieName = site === "portal" ? "__Host-tollgate" : "__Host-tollgate-operator";
  const deviceName = `${cookieName}-device`;
  let token: string | undefined;
  let device: string | undefined;
  const newAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  let address = newAddress();

  async function sendRequest(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers({ "x-forwarded-for": address, "user-agent": "test browser" });
    const cookies = [
      "other=1",
      ...(token === undefined ? [] : [`${cookieName}=${token}`]),
      ...(device === undefined ? [] : [`${deviceName}=${device}`]),
    ];
    headers.set("cookie", cookies.join("; "));
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(`${through}${path}`, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=");
      if (name === cookieName) token = value || undefined;
      if (name === deviceName) device = value || undefined;
    }
    const text = await response.text();
    return { status: response.status, json: text ? JSON.parse(text) : {}, headers: response.headers };
  }

  return {
    get: (path) => sendRequest(path, {}),
    post: (path, body, headers = {}) =>
      sendRequest(path, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { origin: url, "content-type": "application/json", ...headers },
      }),
    token: () => token,
    useToken(other) {
      token = other;
    },
    device: () => device,
    useDevice(other) {
      device = other;
    },
    move() {
      address = newAddress();
    },
  };
}
