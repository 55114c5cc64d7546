/** What every command has that calls a gateway. */
export const calling = {
  folder: { value: "FOLDER", does: "the folder of a running `tollgate dev`, if it is not .tollgate" },
  json: { does: "the answer as one line of JSON" },
} as const;

/** Which gateway that is. */
export const whichGateway =
  "It calls the gateway that TOLLGATE_BASE_URL, TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY (or …_FILE) and\n" +
  "TOLLGATE_GATEWAY_PUBLIC_KEY (or …_FILE) name; without them, the one that `tollgate dev` runs in this folder.";

/** For what the sandbox's wallet is asked, too. */
export const whichWallet =
  "The wallet is that of `tollgate dev`, or the one that TOLLGATE_WALLET_URL and TOLLGATE_CONTROL_SECRET name.";
