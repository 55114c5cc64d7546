import { Button, Code, CopyButton, Stack, Text, Textarea } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { challengeFor } from "./create-key.ts";
import { RegisteredKey } from "./registered-key.tsx";
import { registerKey, type KeyWithProof } from "./register-key.ts";

interface Props {
  readonly scope: ClientScope;
  readonly opening: Parameters<typeof registerKey>[2];
}

/**
 * The form for a key that was created elsewhere, such as in a hardware module: its public key and a proof of
 * possession.
 */
export function UploadKey({ scope, opening }: Props): ReactNode {
  const { t } = useTranslation();
  const upload = useAct((key: KeyWithProof) => registerKey(scope, key, opening));
  return (
    <details className="more">
      <summary>{t("keys.upload")}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { publicKey, proof } = readFields(event.currentTarget, ["publicKey", "proof"]);
          upload.mutate({ publicKey, proof: proof.replaceAll(/\s/g, "") });
        }}
      >
        <Stack maw="44rem" mt="sm">
          <Text size="sm">{t("keys.uploadLede")}</Text>
          <Commands text={commandsFor(scope)} />
          <Textarea
            name="publicKey"
            label={t("keys.public")}
            placeholder="-----BEGIN PUBLIC KEY-----"
            onInput={({ currentTarget }) => {
              // Checked in the browser, so that a private key that was pasted by mistake is never sent.
              const isPrivate = currentTarget.value.includes("PRIVATE KEY");
              currentTarget.setCustomValidity(isPrivate ? t("keys.isPrivate") : "");
              if (isPrivate) currentTarget.reportValidity();
            }}
            classNames={{ input: "id" }}
            rows={5}
            maxLength={2048}
            spellCheck={false}
            required
          />
          <Textarea
            name="proof"
            label={t("keys.proof")}
            description={t("keys.proofHint")}
            classNames={{ input: "id" }}
            rows={3}
            maxLength={1024}
            spellCheck={false}
            required
          />
          <Failure error={upload.error} />
          <Button type="submit" variant="default" loading={upload.isPending} w="fit-content">
            {t("keys.register")}
          </Button>
        </Stack>
      </form>
      {upload.data && <RegisteredKey scope={scope} registered={upload.data} />}
    </details>
  );
}

function Commands({ text }: { readonly text: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <Code block className="command">
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="default" size="xs" w="fit-content" onClick={copy}>
            {t(copied ? "copy.done" : "copy.do")}
          </Button>
        )}
      </CopyButton>
    </>
  );
}

function commandsFor(scope: ClientScope): string {
  return [
    "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out private.pem",
    "openssl pkey -in private.pem -pubout -out public.pem",
    "digest=$(openssl pkey -in private.pem -pubout -outform DER | openssl dgst -sha256 -r | cut -c 1-64)",
    `printf '${challengeFor(scope, "%s")}' "$digest" | openssl dgst -sha256 -sign private.pem | openssl base64 -A`,
  ].join("\n");
}
