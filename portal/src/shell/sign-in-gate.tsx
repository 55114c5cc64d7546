import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { LinkAnchor } from "../components/links.tsx";
import { Announcement } from "./announcement.tsx";
import { Brand } from "./brand.tsx";
import { LanguageSwitch } from "./language-switch.tsx";

interface Props {
  readonly title: string;
  readonly lede?: ReactNode;
  readonly children?: ReactNode;
}

/** The layout of the portal's pages before sign-in. */
export function SignInGate(props: Props): ReactNode {
  const brand = (
    <LinkAnchor to="/sign-in" className="brand">
      <Brand />
    </LinkAnchor>
  );
  return <SignedOutLayout {...props} className="gate" brand={brand} above={<Announcement />} />;
}

interface FrameProps extends Props {
  readonly className: string;
  readonly brand: ReactNode;
  /** Content between the header and the card. */
  readonly above?: ReactNode;
}

/** The layout of pages before sign-in, of the portal and the operator console. */
export function SignedOutLayout({ className, brand, above, title, lede, children }: FrameProps): ReactNode {
  return (
    <div className={className}>
      <header className="gate-bar">
        {brand}
        <LanguageSwitch />
      </header>
      {above}
      <main className="gate-card">
        <Stack gap="lg">
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            {lede && (
              <Text c="dimmed" mt="xs">
                {lede}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </main>
    </div>
  );
}
