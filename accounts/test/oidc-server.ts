// @ts-expect-error The library brings no types.
import library from "oidc-provider";

/** An OpenID provider that others wrote, as a process of its own: whoever types a name is that person, with the address that goes with it. */
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
  // Into the id token, and not only at an endpoint that would have to be asked.
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
