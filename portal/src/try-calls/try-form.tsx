import { Alert, Button, Code, Group, NativeSelect, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { RequestCodeView } from "../calls/request-code-view.tsx";
import { CallStatus } from "../calls/call-status.tsx";
import { indentJson } from "../calls/format-json.ts";
import { apiOperations, type ApiOperation } from "../generated/api.ts";
import { LinkAnchor } from "../components/links.tsx";
import type { StoredKey } from "./browser-key-store.ts";
import { operationPath, sendCall, type ReceivedAnswer } from "./send-signed-request.ts";

interface Props {
  readonly scope: ClientScope;
  readonly storedKey: StoredKey | null;
  /** An earlier API request, to send it again. */
  readonly repeated: { readonly operation: ApiOperation; readonly body: string } | undefined;
}

/** The form of an API request: an operation, one of its examples, and the body that will be signed. */
export function TryForm({ scope, storedKey, repeated }: Props): ReactNode {
  const { t } = useTranslation();
  const [first] = apiOperations;
  const { operation: named } = useSearch({ from: "/shell/$environment/try" });
  const operation = repeated?.operation ?? apiOperations.find(({ path }) => path === named) ?? first;
  const [body, setBody] = useState(() => repeated?.body ?? (operation ? buildExample(operation, 0) : ""));
  const send = useMutation({
    mutationFn: async () => {
      if (!storedKey || !operation) throw new Error("This browser has no key.");
      return sendCall(scope, storedKey, { operation: operation.path, body });
    },
  });
  const problem = problemIn(body);
  if (!operation) return undefined;
  return (
    <>
      <section>
        <Title order={2} size="h4" mb="xs">
          {t("try.call")}
        </Title>
        <Stack>
          {repeated && <Alert variant="light">{t("try.struck")}</Alert>}
          <Choice operation={operation} onExample={setBody} />
          <Textarea
            label={t("try.body")}
            description={operation.summary}
            value={body}
            onChange={({ currentTarget: { value } }) => setBody(value)}
            error={problem && t("try.noJson", { why: problem })}
            autosize
            minRows={6}
            maxRows={24}
            spellCheck={false}
            classNames={{ input: "id" }}
          />
          <Group>
            {storedKey && (
              <Button onClick={() => send.mutate()} loading={send.isPending} disabled={problem !== undefined}>
                {t("try.send")}
              </Button>
            )}
            {operation.idempotencyField && (
              <Button variant="default" onClick={() => setBody(replaceRequestId(operation, body))}>
                {t("try.newId")}
              </Button>
            )}
          </Group>
          {send.error && (
            <Alert className="failure" variant="light" role="alert">
              {t("try.unreachable")}
            </Alert>
          )}
        </Stack>
      </section>
      {send.data && <Answer scope={scope} answer={send.data} />}
      {problem === undefined && (
        <RequestCodeView
          scope={scope}
          path={operationPath(operation.path)}
          keyVersion={storedKey?.keyVersion ?? 1}
          body={body}
        />
      )}
    </>
  );
}

interface Draft {
  readonly operation: ApiOperation;
  readonly onExample: (body: string) => void;
}

function Choice({ operation, onExample }: Draft): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [example, setExample] = useState(0);
  const choose = (chosen: ApiOperation, index: number): void => {
    setExample(index);
    onExample(buildExample(chosen, index));
  };
  return (
    <Group>
      <NativeSelect
        label={t("try.operation")}
        value={operation.path}
        onChange={({ currentTarget: { value } }) => {
          const chosen = apiOperations.find(({ path }) => path === value);
          if (!chosen) return;
          void navigate({ to: ".", search: { operation: value } });
          choose(chosen, 0);
        }}
        data={apiOperations.map(({ path }) => path)}
      />
      <NativeSelect
        label={t("try.example")}
        value={example}
        onChange={({ currentTarget: { value } }) => choose(operation, Number(value))}
        data={operation.samples.map(({ title = t("try.usual") }, index) => ({
          value: String(index),
          label: title,
        }))}
      />
    </Group>
  );
}

function Answer({
  scope,
  answer,
}: {
  readonly scope: ClientScope;
  readonly answer: ReceivedAnswer;
}): ReactNode {
  const { t } = useTranslation();
  const { environment } = scope;
  const { requestId, signatureCheck, durationMs, body } = answer;
  return (
    <section aria-live="polite">
      <Title order={2} size="h4" mb="xs">
        {t("try.answer")}
      </Title>
      <Group gap="sm" mb="xs">
        <CallStatus call={answer} />
        <span>{t("try.took", { ms: durationMs })}</span>
        {requestId && (
          <LinkAnchor to="/$environment/calls/$requestId" params={{ environment, requestId }} size="sm">
            {t("try.see")}
          </LinkAnchor>
        )}
      </Group>
      <Text className="seal" data-word={signatureCheck.status} mb="sm">
        {signatureCheck.status === "held"
          ? t("try.held", { version: signatureCheck.keyVersion })
          : t(`try.${signatureCheck.status}`)}
      </Text>
      <Code block className="command">
        {indentJson(body)}
      </Code>
    </section>
  );
}

/**
 * `buildExample` inserts a new request id. With an id that was sent before, the gateway would only repeat the first
 * outcome.
 */
function buildExample(operation: ApiOperation, index: number): string {
  const { request } = operation.samples[index] ?? { request: {} };
  return replaceRequestId(operation, JSON.stringify(request, undefined, 2));
}

function replaceRequestId({ idempotencyField: field }: ApiOperation, body: string): string {
  if (field === undefined || problemIn(body) !== undefined) return body;
  const request: Readonly<Record<string, unknown>> = JSON.parse(body);
  const id = `portal-${crypto.randomUUID()}`;
  return JSON.stringify(field in request ? { ...request, [field]: id } : request, undefined, 2);
}

function problemIn(body: string): string | undefined {
  try {
    JSON.parse(body);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
