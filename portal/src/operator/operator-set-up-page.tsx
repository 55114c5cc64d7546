import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AddPasskey } from "../security/add-passkey.tsx";
import { useMe } from "../session/me.ts";
import { OperatorSignInGate } from "./operator-sign-in-gate.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

export function OperatorSetUpPage(): ReactNode {
  const { t } = useConsoleTexts();
  const { person } = useMe();
  const router = useRouter();
  return (
    <OperatorSignInGate title={t("setUp.title", { name: person.name })} lede={t("setUp.lede")}>
      <AddPasskey onDone={() => router.history.push("/")} />
    </OperatorSignInGate>
  );
}
