import { Button, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { wordOf } from "../api/refused.ts";
import { Failure } from "./failure.tsx";

/** In place of a page that could not be shown. */
export function Broken({ error }: { readonly error: unknown }): ReactNode {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const isSignedOut = wordOf(error) === "NOT_SIGNED_IN";
  useEffect(() => {
    // A session ends while a page is open; loading the page anew leads to the sign-in, and back.
    if (isSignedOut) globalThis.location.reload();
  }, [isSignedOut]);
  if (isSignedOut) return undefined;
  return (
    <Stack p="lg" align="flex-start">
      <Failure error={error} />
      <Button
        variant="default"
        onClick={() => {
          void queries.resetQueries({ predicate: (query) => query.state.status === "error" });
          void router.invalidate();
        }}
      >
        {t("broken.again")}
      </Button>
    </Stack>
  );
}
