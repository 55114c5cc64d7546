import { Button, Group, Text } from "@mantine/core";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { Failure } from "../components/failure.tsx";
import { saveReport } from "./save-report.ts";

interface Props {
  readonly scope: ClientScope;
  readonly request: Parameters<typeof saveReport>[1];
  readonly label: string;
}

type State =
  | { readonly status: "idle" }
  | { readonly status: "running"; readonly number: number }
  | { readonly status: "done"; readonly number: number; readonly file: string }
  | { readonly status: "failed"; readonly error: Error };

/** A button that downloads a report and shows the progress. */
export function ReportButton({ scope, request, label }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const [state, setState] = useState<State>({ status: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function save(): Promise<void> {
    const abort = new AbortController();
    running.current = abort;
    setState({ status: "running", number: 0 });
    try {
      const onProgress = (number: number): void => setState({ status: "running", number });
      const { rowCount, isComplete, file } = await saveReport(scope, request, onProgress, abort.signal);
      setState(isComplete ? { status: "done", number: rowCount, file } : { status: "idle" });
    } catch (error) {
      setState({ status: "failed", error: error as Error });
    }
  }

  const number = (count: number): string => new Intl.NumberFormat(i18n.language).format(count);
  return (
    <Group gap="sm">
      <Button variant="default" size="xs" loading={state.status === "running"} onClick={() => void save()}>
        {label}
      </Button>
      {state.status === "failed" && <Failure error={state.error} />}
      <Text size="sm" c="dimmed" role="status">
        {state.status === "running" && t("lists.settlement.lines", { number: number(state.number) })}
        {state.status === "done" && t("export.done", { number: number(state.number), file: state.file })}
      </Text>
    </Group>
  );
}
