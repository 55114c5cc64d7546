import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { clearTokens } from "../api/console-requests.ts";
import { errorCodeOf } from "../api/refusal-error.ts";
import { readLinkToken } from "../register/link-token.ts";
import { meQuery } from "../session/me.ts";
import { SignInGate } from "../shell/sign-in-gate.tsx";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { LinkAnchor } from "../components/links.tsx";

/** The page of an invitation. New people continue to set up their sign-in; others are already signed in. */
export function InvitationPage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const accept = useMutation({
    mutationFn: ({ name }: { readonly name: string }) =>
      requestAccounts("POST /accounts/invitations/accept", { token: readLinkToken(), name }),
    onSuccess: async () => {
      clearTokens();
      await queries.resetQueries();
      await navigate({ to: "/" });
    },
  });
  return (
    <SignInGate title={t("invitation.title")} lede={t("invitation.lede")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          accept.mutate(readFields(event.currentTarget, ["name"]));
        }}
      >
        <Stack>
          <Failure error={accept.error} />
          <TextInput
            key={me?.person.name}
            name="name"
            label={t("register.name")}
            defaultValue={me?.person.name}
            autoComplete="name"
            maxLength={100}
            required
          />
          <Button type="submit" loading={accept.isPending} fullWidth>
            {t("invitation.accept")}
          </Button>
        </Stack>
      </form>
      {errorCodeOf(accept.error) === "SIGN_IN_FIRST" && (
        <Text size="sm">
          <LinkAnchor to="/sign-in" state={{ to: `/invitation#${readLinkToken()}` }}>
            {t("signIn.title")}
          </LinkAnchor>
        </Text>
      )}
    </SignInGate>
  );
}
