/** What the READMEs of all libraries say in the same words, by the name of the place where it stands. */
export const readmeParts: Readonly<Record<string, string>> = {
  gateway: `\`tollgate dev\` starts a whole gateway on your machine. It writes the address, your client id and the paths of the keys to \`.env\`, in
the names that this library reads. In the repository, after \`npm ci\`:

\`\`\`sh
npx --no tollgate dev
\`\`\`

In another terminal in the same folder, read these settings; then run your program there:

\`\`\`sh
set -a; . ./.env; set +a
\`\`\`

A payment waits for its buyer. Open the \`normalUrl\` of the answer and pay, or approve it from the terminal:

\`\`\`sh
npx --no tollgate approve "$PAYMENT_ID"
\`\`\`

\`npx --no tollgate init\` with \`node\`, \`java\`, \`php\`, \`python\` or \`go\` writes a shop in one file that takes a payment, receives its webhook and refunds it.

At the gateway of a payment provider, register in its merchant portal. It gives you a client id. On its page *Keys* you make a key in your browser, or
register the public half of one that you made yourself, and save the gateway's public key. The private half never leaves your machine. Without a portal, the
gateway's operator registers the key and gives you both. Set \`TOLLGATE_BASE_URL\`, \`TOLLGATE_CLIENT_ID\`, \`TOLLGATE_PRIVATE_KEY_FILE\` and
\`TOLLGATE_GATEWAY_PUBLIC_KEY_FILE\`; or give the text of a key in \`TOLLGATE_PRIVATE_KEY\` and \`TOLLGATE_GATEWAY_PUBLIC_KEY\`. A key given in both ways is refused.`,

  "what to check": `You are told at the \`paymentNotifyUrl\` of a payment and at the \`refundNotifyUrl\` of a refund, else at the address that was set with
\`tollgate/changeEndpoints\`; without any of them, nobody tells you. Then:

1. **Verify** it before anything else: \`construct\` does, and answers to a forgery are 401.
2. **Deliver on \`isPaid\` alone** (\`is_paid\` in Python, \`IsPaid\` in Go). A payment and its notification answer four questions, and exactly one is true:
   \`isPaid\`, \`isAuthorized\` (held until you capture it), \`isPending\`, and \`isFailed\` (not paid, and never will be). Do not read \`resultStatus\` for
   that: the notification of a pending payment also says \`S\`. Of a refund, \`refundStatus\` is \`SUCCESS\` or \`FAIL\`.
3. **Find the order** by your own \`paymentRequestId\`, and compare \`paymentAmount\` with what it costs. If it is not there yet, say no: answer
   anything but the acknowledgement, and the gateway comes again.
4. **Apply it once**, in the transaction in which you write to the order: it may come twice, late, or after something newer. When your change
   fails, nothing of it is left, and the next delivery is news again. A transaction is necessary; autocommit is refused.
5. **Acknowledge** last, after the commit.

\`tollgate conform receiver URL\` checks all of that from outside: run it before you go live.`,
};
