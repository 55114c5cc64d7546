import { Button, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { errorCodeOf } from "../api/refusal-error.ts";
import { Failure } from "../components/failure.tsx";

/** The error page for a page that could not be rendered. */
export function ErrorPage({ error }: { readonly error: unknown }): ReactNode {
  const { t } = useTranslation();
  const router = useRouter();
  const queries = useQueryClient();
  const isSignedOut = errorCodeOf(error) === "NOT_SIGNED_IN";
  useEffect(() => {
    // The session can expire while a page is open. A reload leads to the sign-in page and back.
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
