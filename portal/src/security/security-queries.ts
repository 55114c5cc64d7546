import { queryOptions } from "@tanstack/react-query";
import { requestAccounts } from "../api/request-accounts.ts";

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: () => requestAccounts("GET /accounts/passkeys", {}),
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => requestAccounts("GET /accounts/sessions", {}),
});
