/** Options of every command that calls a gateway. */
export const commonOptions = {
  folder: { value: "FOLDER", summary: "data folder of the running `tollgate dev` (default .tollgate)" },
  json: { summary: "print the response as one line of JSON" },
} as const;

/** Which gateway is called. */
export const gatewayHelp =
  "Calls the gateway that TOLLGATE_BASE_URL, TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY (or …_FILE) and\n" +
  "TOLLGATE_GATEWAY_PUBLIC_KEY (or …_FILE) specify (default: the gateway of `tollgate dev` in this folder).";

/** A help text of commands that also call the sandbox provider. */
export const providerHelp =
  "The provider is that of `tollgate dev`, or the one of TOLLGATE_WALLET_URL and TOLLGATE_CONTROL_SECRET.";
