import {
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from "@mantine/core";

/** Grounds and lines of our dark pages, in place of Mantine's greys. */
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

/** The accent of all our pages, with its lighter and darker neighbours. */
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

/** `close` is what the cross of a dialog is called. */
export const themeOf = (close: string): MantineThemeOverride =>
  createTheme({
    colors: { barrier, dark: night },
    primaryColor: "barrier",
    // Contrast: white stands out from both by more than 5 to 1; Mantine chooses black or white by the light one alone.
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
      // All fields of our forms are required, so a star would tell nothing.
      InputWrapper: { defaultProps: { withAsterisk: false } },
      // A link within a sentence must not be known by its colour alone.
      Anchor: { defaultProps: { underline: "always" } },
      Modal: { defaultProps: { closeButtonProps: { "aria-label": close } } },
      // The page has one banner, and it is not a dialog's.
      ModalHeader: { defaultProps: { role: "none" } },
      // What scrolls has to scroll by keys as well.
      TableScrollContainer: { defaultProps: { type: "native", tabIndex: 0 } },
    },
  });

/** The colours of our other pages, in place of Mantine's own. */
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
