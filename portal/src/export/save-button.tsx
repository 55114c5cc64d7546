import { Button, Group, Text } from "@mantine/core";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../components/failure.tsx";
import { savePages, type PagesToSave } from "./save-pages.ts";

interface Props<Row> {
  readonly what: Omit<PagesToSave<Row>, "onProgress" | "signal">;
  /** The time of a row, shown as progress. */
  readonly timeOf: (row: Row) => string;
}

type State =
  | { readonly is: "idle" }
  | { readonly is: "running"; readonly number: number; readonly until: string }
  | { readonly is: "done" | "stopped"; readonly number: number }
  | { readonly is: "failed"; readonly error: Error };

/** A button that downloads a whole list, not only the loaded rows, and shows the progress. */
export function SaveButton<Row>({ what, timeOf }: Props<Row>): ReactNode {
  const { t, i18n } = useTranslation();
  const [state, setState] = useState<State>({ is: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function save(): Promise<void> {
    const abort = new AbortController();
    running.current = abort;
    setState({ is: "running", number: 0, until: "" });
    const onProgress = (number: number, last: Row | undefined): void =>
      setState({ is: "running", number, until: last ? timeOf(last).slice(0, 10) : "" });
    try {
      const { rowCount, isWhole } = await savePages({ ...what, onProgress, signal: abort.signal });
      setState({ is: isWhole ? "done" : "stopped", number: rowCount });
    } catch (error) {
      setState({ is: "failed", error: error as Error });
    }
  }

  const number = (count: number): string => new Intl.NumberFormat(i18n.language).format(count);
  return (
    <Group gap="sm">
      {state.is === "failed" && <Failure error={state.error} />}
      <Text size="sm" c="dimmed" role="status">
        {state.is === "running" && t("export.running", { number: number(state.number), until: state.until })}
        {state.is === "done" && t("export.done", { number: number(state.number), file: what.file })}
        {state.is === "stopped" && t("export.stopped", { number: number(state.number) })}
      </Text>
      {state.is === "running" ? (
        <Button variant="default" size="xs" onClick={() => running.current?.abort()}>
          {t("export.stop")}
        </Button>
      ) : (
        <Button variant="default" size="xs" onClick={() => void save()}>
          {t("export.do")}
        </Button>
      )}
    </Group>
  );
}
