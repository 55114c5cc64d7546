/** Texts that all READMEs share, by the name of the marker. */
export const readmeParts: Readonly<Record<string, string>> = {
  gateway: `\`tollgate dev\` starts a complete gateway on your machine. \`tollgate dev\` writes the base URL, your client id and the paths of the keys to \`.env\`,
under the variable names that this library reads. In the repository, after \`npm ci\`:

\`\`\`sh
npx --no tollgate dev
\`\`\`

In another terminal in the same folder, load the settings of \`.env\` and run your program:

\`\`\`sh
set -a; . ./.env; set +a
\`\`\`

A new payment waits for its buyer. Open the \`normalUrl\` of the response and pay, or approve the payment from the terminal:

\`\`\`sh
npx --no tollgate approve "$PAYMENT_ID"
\`\`\`

\`npx --no tollgate init\` with \`node\`, \`java\`, \`php\`, \`python\` or \`go\` writes a one-file shop that takes a payment, receives its webhook and refunds it.

To use a gateway that another company operates, register in its merchant portal and note your client id. On the page *Keys*, create a key in your browser or
register the public key of your own key pair, and save the gateway's public key. The private key never leaves your machine. If the operator has no
merchant portal, the operator registers your public key and sends you the client id and the gateway's public key. Set \`TOLLGATE_BASE_URL\`, \`TOLLGATE_CLIENT_ID\`,
\`TOLLGATE_PRIVATE_KEY_FILE\` and \`TOLLGATE_GATEWAY_PUBLIC_KEY_FILE\`. Instead of a file you can set the text of a key in \`TOLLGATE_PRIVATE_KEY\` or
\`TOLLGATE_GATEWAY_PUBLIC_KEY\`. If the text and the file of a key are both set, the client fails to start.`,

  "what to check": `The gateway sends webhooks to the \`paymentNotifyUrl\` of a payment and the \`refundNotifyUrl\` of a refund. Without the fields \`paymentNotifyUrl\` and
\`refundNotifyUrl\`, the gateway uses the URL that was set with \`tollgate/changeEndpoints\`. If no URL is set, the gateway sends no webhook. For each webhook:

1. **Verify** the signature first. \`construct\` verifies the signature of a webhook; respond to an invalid signature with 401.
2. **Deliver only if \`isPaid\` is true** (\`is_paid\` in Python, \`IsPaid\` in Go). A payment and its webhook have four outcome properties, and exactly one is true:
   \`isPaid\`, \`isAuthorized\` (held until you capture it), \`isPending\`, and \`isFailed\` (final: not paid). Never deliver because of
   \`resultStatus\`: the webhook of a pending payment also has \`S\`. For a refund, \`refundStatus\` is \`SUCCESS\` or \`FAIL\`; \`FAIL\` can follow \`SUCCESS\`, if the buyer's bank returns the money.
3. **Find the order** by your own \`paymentRequestId\`, and compare \`paymentAmount\` with the price of the order. If the order does not exist yet, do not
   acknowledge the webhook: after any other response, the gateway sends the webhook again.
4. **Apply it once**, in the database transaction that updates the order: a webhook can arrive twice, late, or after a newer one. If your update
   fails, it is rolled back completely, and the next delivery applies the webhook again. The library requires a transaction and rejects autocommit mode.
5. **Acknowledge** last, after the commit.

\`tollgate conform receiver URL\` tests all steps of this list from outside. Run \`tollgate conform receiver\` before you go live.`,
};
