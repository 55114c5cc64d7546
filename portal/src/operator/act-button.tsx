import { Button, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

interface Props {
  readonly label: string;
  /** The record that the button acts on, for screen readers. */
  readonly about: string;
  /** The effect of the action. */
  readonly consequence: string;
  readonly isDestructive?: boolean;
  readonly disabled?: boolean;
  readonly act: (reason: string) => Promise<unknown>;
  readonly onDone?: (answer: unknown) => void;
}

/**
 * A button that opens a dialog before it acts. The dialog explains the effect and requires a reason for the audit
 * log.
 */
export function ActButton({
  label,
  about,
  consequence,
  isDestructive,
  disabled,
  act,
  onDone,
}: Props): ReactNode {
  const { t } = useConsoleTexts();
  const [isDialogOpen, { open, close }] = useDisclosure();
  const done = useAct(act, (answer) => {
    close();
    onDone?.(answer);
  });
  const color = isDestructive ? { color: "red.9" } : {};
  return (
    <>
      <Button
        variant="default"
        size="xs"
        disabled={disabled ?? false}
        aria-label={`${label}: ${about}`}
        onClick={() => {
          done.reset();
          open();
        }}
      >
        {label}
      </Button>
      <Modal opened={isDialogOpen} onClose={close} title={label} centered>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            done.mutate(readFields(event.currentTarget, ["reason"]).reason);
          }}
        >
          <Stack>
            <Text>{consequence}</Text>
            <Text size="sm" c="dimmed" className="id">
              {about}
            </Text>
            <Failure error={done.error} />
            <Textarea
              name="reason"
              label={t("act.reason")}
              description={t("act.reasonHint")}
              maxLength={500}
              autosize
              minRows={2}
              required
              data-autofocus
            />
            <Button type="submit" loading={done.isPending} {...color}>
              {label}
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
