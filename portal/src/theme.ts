import {
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from "@mantine/core";

/** Backgrounds and lines in dark mode, in place of Mantine's greys. */
const night: MantineColorsTuple = [
  "#e5e9f1",
  "#c3cbd9",
  "#9ba7bc",
  "#6b7890",
  "#35425c",
  "#253044",
  "#151c2a",
  "#0d121c",
  "#0a0e17",
  "#070a11",
];

/** The accent colour of all pages, with lighter and darker shades. */
const barrier: MantineColorsTuple = [
  "#eef1fd",
  "#d9e0fb",
  "#b9c6f8",
  "#9db2ff",
  "#6f88ea",
  "#4a68dc",
  "#3355cf",
  "#2a4bc8",
  "#213ca3",
  "#182c7a",
];

/** `close` is the accessible name of a dialog's close button. */
export const createPortalTheme = (close: string): MantineThemeOverride =>
  createTheme({
    colors: { barrier, dark: night },
    primaryColor: "barrier",
    // Contrast: white text has more than 5 to 1 on both shades. Mantine chooses black or white text by the light
    // shade only.
    primaryShade: { light: 7, dark: 6 },
    autoContrast: true,
    respectReducedMotion: true,
    defaultRadius: "md",
    cursorType: "pointer",
    fontFamily:
      'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans SC", "PingFang SC", Ubuntu, sans-serif',
    fontFamilyMonospace:
      'ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
    headings: { fontWeight: "650" },
    components: {
      // All form fields are required, so an asterisk has no meaning.
      InputWrapper: { defaultProps: { withAsterisk: false } },
      // A link within a sentence must not be recognisable by its colour alone.
      Anchor: { defaultProps: { underline: "always" } },
      Modal: { defaultProps: { closeButtonProps: { "aria-label": close } } },
      // A page has one banner, and a dialog header is not a banner.
      ModalHeader: { defaultProps: { role: "none" } },
      // Scrollable content must also scroll with the keyboard.
      TableScrollContainer: { defaultProps: { type: "native", tabIndex: 0 } },
    },
  });

/** The colours of our other pages, in place of Mantine's colours. */
export const colours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#1b2333",
    "--mantine-color-dimmed": "#566074",
    "--mantine-color-placeholder": "#6b7587",
    "--mantine-color-default-border": "#d5dbe4",
    "--mantine-color-error": "#b0261f",
    "--mantine-color-anchor": "#2a4bc8",
    "--wash": "#f6f7f9",
    "--line": "#e2e6ec",
    "--happened": "#0b6b3e",
    "--happened-wash": "#e2f5ea",
    "--refused": "#b0261f",
    "--refused-wash": "#fdecea",
    "--unknown": "#845000",
    "--unknown-wash": "#fdf1d8",
    "--stripe": "#fbe3b0",
  },
  dark: {
    "--mantine-color-body": "#0d121c",
    "--mantine-color-text": "#e5e9f1",
    "--mantine-color-dimmed": "#9ba7bc",
    "--mantine-color-placeholder": "#8b97ad",
    "--mantine-color-default": "#151c2a",
    "--mantine-color-default-hover": "#1b2438",
    "--mantine-color-default-border": "#35425c",
    "--mantine-color-error": "#ffa39b",
    "--mantine-color-anchor": "#9db2ff",
    "--wash": "#151c2a",
    "--line": "#253044",
    "--happened": "#7fdfaa",
    "--happened-wash": "#10301f",
    "--refused": "#ffa39b",
    "--refused-wash": "#3a1816",
    "--unknown": "#f6c76d",
    "--unknown-wash": "#34260c",
    "--stripe": "#4a3710",
  },
});
