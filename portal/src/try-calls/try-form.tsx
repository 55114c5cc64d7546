import { Alert, Button, Code, Group, NativeSelect, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Place } from "../api/console.ts";
import { CallAsCode } from "../calls/request-code-view.tsx";
import { CallStatus } from "../calls/call-status.tsx";
import { indented } from "../calls/format-json.ts";
import { apiOperations, type ApiOperation } from "../generated/api.ts";
import { LinkAnchor } from "../components/links.tsx";
import type { KeptKey } from "./browser-key-store.ts";
import { pathOf, sendCall, type TriedAnswer } from "./send-call.ts";

interface Props {
  readonly place: Place;
  readonly kept: KeptKey | null;
  /** An earlier API request, to send it again. */
  readonly again: { readonly operation: ApiOperation; readonly body: string } | undefined;
}

/** The form of an API request: an operation, one of its examples, and the body that will be signed. */
export function TryForm({ place, kept, again }: Props): ReactNode {
  const { t } = useTranslation();
  const [first] = apiOperations;
  const { operation: named } = useSearch({ from: "/shell/$environment/try" });
  const operation = again?.operation ?? apiOperations.find(({ path }) => path === named) ?? first;
  const [body, setBody] = useState(() => again?.body ?? (operation ? exampleOf(operation, 0) : ""));
  const send = useMutation({
    mutationFn: async () => {
      if (!kept || !operation) throw new Error("This browser has no key.");
      return sendCall(place, kept, { operation: operation.path, body });
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
          {again && <Alert variant="light">{t("try.struck")}</Alert>}
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
            {kept && (
              <Button onClick={() => send.mutate()} loading={send.isPending} disabled={problem !== undefined}>
                {t("try.send")}
              </Button>
            )}
            {operation.idempotencyField && (
              <Button variant="default" onClick={() => setBody(withNewId(operation, body))}>
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
      {send.data && <Answer place={place} answer={send.data} />}
      {problem === undefined && (
        <CallAsCode
          place={place}
          path={pathOf(operation.path)}
          keyVersion={kept?.keyVersion ?? 1}
          body={body}
        />
      )}
    </>
  );
}

interface Chosen {
  readonly operation: ApiOperation;
  readonly onExample: (body: string) => void;
}

function Choice({ operation, onExample }: Chosen): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [example, setExample] = useState(0);
  const choose = (chosen: ApiOperation, index: number): void => {
    setExample(index);
    onExample(exampleOf(chosen, index));
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

function Answer({ place, answer }: { readonly place: Place; readonly answer: TriedAnswer }): ReactNode {
  const { t } = useTranslation();
  const { environment } = place;
  const { requestId, seal, durationMs, body } = answer;
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
      <Text className="seal" data-word={seal.word} mb="sm">
        {seal.word === "held" ? t("try.held", { version: seal.keyVersion }) : t(`try.${seal.word}`)}
      </Text>
      <Code block className="command">
        {indented(body)}
      </Code>
    </section>
  );
}

/**
 * `exampleOf` inserts a new request id. With an id that was sent before, the gateway would only repeat the first
 * outcome.
 */
function exampleOf(operation: ApiOperation, index: number): string {
  const { request } = operation.samples[index] ?? { request: {} };
  return withNewId(operation, JSON.stringify(request, undefined, 2));
}

function withNewId({ idempotencyField: field }: ApiOperation, body: string): string {
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
