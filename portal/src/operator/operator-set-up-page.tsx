import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AddPasskey } from "../security/add-passkey.tsx";
import { useMe } from "../session/me.ts";
import { OperatorDoor } from "./operator-door.tsx";
import { useWords } from "./use-words.ts";

export function OperatorSetUpPage(): ReactNode {
  const { t } = useWords();
  const { person } = useMe();
  const router = useRouter();
  return (
    <OperatorDoor title={t("setUp.title", { name: person.name })} lede={t("setUp.lede")}>
      <AddPasskey onDone={() => router.history.push("/")} />
    </OperatorDoor>
  );
}
