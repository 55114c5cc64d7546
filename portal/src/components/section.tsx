import { Title } from "@mantine/core";
import { useId, type ReactNode } from "react";

interface Props {
  readonly title: string;
  readonly children: ReactNode;
}

/** A section of a page with a heading. */
export function Section({ title, children }: Props): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h4" mb="sm" id={id}>
        {title}
      </Title>
      {children}
    </section>
  );
}
