import type { Page } from "playwright-core";

/** `lowContrastTexts` returns the texts on a page whose contrast is below WCAG AA, with the contrast. */
export function lowContrastTexts(page: Page): Promise<string[]> {
  // The script is a string, because it runs in the browser, whose types this program does not have.
  return page.evaluate<string[]>(`(${findLowContrast})()`);
}

const findLowContrast = `() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (channels(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
  return [...document.body.querySelectorAll("*")].filter(hasText).flatMap((element) => {
    const style = getComputedStyle(element);
    const [dark, light] = [luminance(style.color), luminance(behind(element))].sort((a, b) => a - b);
    const contrast = (light + 0.05) / (dark + 0.05);
    return contrast < 4.5 ? [\`\${element.textContent.trim()}: \${contrast.toFixed(2)}\`] : [];
  });
}`;
