/** What the READMEs of all libraries say in the same words, by the name of the place where it stands. */
export const readmeParts: Readonly<Record<string, string>> = {
  gateway: `In the repository, \`npm run dev\` starts the whole of Tollgate on your machine, and says where it is, who you are, and which keys are yours.
Put that where the library looks for it:

\`\`\`sh
export TOLLGATE_BASE_URL=http://127.0.0.1:34629
export TOLLGATE_CLIENT_ID=SANDBOX_F58FF0KJ9ZN8QRC9
export TOLLGATE_PRIVATE_KEY_FILE=/tmp/tollgate-dev-IafDlL/merchant-private.pem
export TOLLGATE_GATEWAY_PUBLIC_KEY_FILE=/tmp/tollgate-dev-IafDlL/gateway-public.pem
\`\`\`

A payment then waits for its buyer, and that is you: open the \`normalUrl\` of the answer, and approve. Programs use the door that the
[sandbox wallet](../../sandbox/README.md) has for them; \`npm run dev -- --json\` says \`walletUrl\` and \`controlSecret\`, too:

\`\`\`sh
curl --request POST --header "Authorization: Bearer $CONTROL_SECRET" "$WALLET_URL/control/payments/$PAYMENT_ID/approve"
\`\`\`

At a gateway that somebody else runs, register in its merchant portal. It gives you a client id; on its page *Keys* you make a key in your browser, or
register the public half of one that you made yourself, and save the gateway's public key. The private half is sent to nobody. Without a portal, the
gateway's operator registers the key and gives you both. Each key is given as a file, as above, or as its text in \`TOLLGATE_PRIVATE_KEY\` and \`TOLLGATE_GATEWAY_PUBLIC_KEY\`;
both at once are refused.`,

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
