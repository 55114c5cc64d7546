import {
  mergeThemeOverrides,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from "@mantine/core";
import { colours, createPortalTheme } from "../theme.ts";

/** The portal never uses this colour. It shows that a page has the data of all merchants. */
const plum: MantineColorsTuple = [
  "#f9f0fb",
  "#eedcf3",
  "#dcb9e6",
  "#d59be5",
  "#b56bc9",
  "#96469f",
  "#86399a",
  "#742d87",
  "#5b2069",
  "#3d1347",
];

/** `close` is the accessible name of a dialog's close button. */
export const createOperatorTheme = (close: string): MantineThemeOverride =>
  mergeThemeOverrides(createPortalTheme(close), {
    colors: { plum },
    primaryColor: "plum",
    primaryShade: { light: 7, dark: 6 },
  });

export const operatorColours: CSSVariablesResolver = (resolved) => {
  const { variables, light, dark } = colours(resolved);
  return {
    variables,
    light: { ...light, "--mantine-color-anchor": "#742d87" },
    dark: { ...dark, "--mantine-color-anchor": "#d59be5" },
  };
};
