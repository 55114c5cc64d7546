import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  readonly name: string;
  readonly onChosen: () => void;
  /** Why it cannot be done now, or not by this person. Then it is shown all the same, with the reason. */
  readonly whyNot: string | undefined;
  /** What most people come here for. */
  readonly isUsual?: boolean;
  /** The dialog that it opens. */
  readonly children: ReactNode;
}

/** Something that can be done on this page. What is not possible is not hidden: nobody should have to search for it. */
export function Offer({ name, onChosen, whyNot, isUsual = false, children }: Props): ReactNode {
  return (
    <Group gap="xs" className="offer">
      <Button variant={isUsual ? "filled" : "default"} onClick={onChosen} disabled={whyNot !== undefined}>
        {name}
      </Button>
      {whyNot !== undefined && (
        <Text size="sm" c="dimmed">
          {whyNot}
        </Text>
      )}
      {children}
    </Group>
  );
}
