// @ts-expect-error The library brings no types.
import library from "oidc-provider";

/**
 * An independent OpenID provider as a separate process. The typed name is the person, and the address is derived from
 * it.
 */
const [port = "0", clientId = "", clientSecret = "", ...redirectUris] = process.argv.slice(2);

interface Listening {
  listen(port: number, host: string, done: () => void): void;
}

const Provider = library as new (issuer: string, settings: object) => Listening;

const provider = new Provider(`http://localhost:${port}`, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: redirectUris,
      response_types: ["code"],
      grant_types: ["authorization_code"],
    },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  // Claims are put into the ID token, so that no userinfo request is needed.
  conformIdTokenClaims: false,
  cookies: { keys: ["a secret of the test"] },
  findAccount: (_: unknown, name: string) => ({
    accountId: name,
    claims: () => ({
      sub: name,
      email: name.replace("unproven-", ""),
      email_verified: !name.startsWith("unproven-"),
    }),
  }),
});

provider.listen(Number(port), "127.0.0.1", () => {
  process.stdout.write(`The provider listens at ${port}.\n`);
});
