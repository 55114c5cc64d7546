import { queryOptions } from "@tanstack/react-query";
import { ask } from "../api/accounts.ts";

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: () => ask("GET /accounts/passkeys", {}),
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => ask("GET /accounts/sessions", {}),
});
