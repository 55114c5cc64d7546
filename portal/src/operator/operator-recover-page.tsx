import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { RecoverForm } from "../recovery/recover-form.tsx";
import { OperatorDoor } from "./operator-door.tsx";
import { PageLink } from "./operator-links.tsx";
import { useWords } from "./use-words.ts";

/** For staff who have lost their passkeys: two admins vouch for them, on the page of staff. */
export function OperatorRecoverPage(): ReactNode {
  const { t } = useWords();
  return (
    <OperatorDoor title={t("recover.title")} lede={t("recover.lede")}>
      <RecoverForm />
      <Text size="sm">
        <PageLink to="/sign-in">{t("signIn.go")}</PageLink>
      </Text>
    </OperatorDoor>
  );
}
