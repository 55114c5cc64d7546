import { Anchor, Button, type AnchorProps, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, ReactNode, Ref } from "react";

type Attributes = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "style"> & {
  readonly ref?: Ref<HTMLAnchorElement>;
};

/** Mantine's link and button with typed routes: a link to an unknown address does not compile. */
export const LinkAnchor = createLink((props: AnchorProps & Attributes): ReactNode => <Anchor {...props} />);
export const LinkButton = createLink((props: ButtonProps & Attributes): ReactNode => (
  <Button component="a" {...props} />
));
