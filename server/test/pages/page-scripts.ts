/** A script for the reference page of an operation, which returns all texts of the page at once. */
export const shownOperation = `(() => {
  const article = document.querySelector("[data-operation]");
  const texts = (selector) => [...article.querySelectorAll(selector)].map((element) => element.textContent);
  const current = document.querySelectorAll("nav [aria-current=page]");
  return {
    text: article.textContent,
    fields: texts(".fields tbody th"),
    codes: texts(".own-results code"),
    tabs: [...article.querySelector(".tabs").querySelectorAll("[data-tab]")].map((pane) => pane.dataset.tab),
    current: [...current].filter((link) => link.checkVisibility()).map((link) => link.href),
  };
})()`;

export interface ShownOperation {
  readonly text: string;
  readonly fields: readonly string[];
  readonly codes: readonly string[];
  readonly tabs: readonly string[];
  readonly current: readonly string[];
}

/** Runs in the page: returns each text whose contrast is below 4.5 (WCAG AA). */
export const findLowContrastTexts = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => channels(color).slice(0, 3)
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return (channels(color)[3] ?? 1) === 1 ? color : ground(element.parentElement);
  };
  const contrast = (element) => {
    const [dark, light] = [getComputedStyle(element).color, ground(element)].map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const texts = [...document.querySelectorAll("body *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
  const faint = texts.filter((element) => contrast(element) < 4.5);
  return [texts.length, faint.map((element) => element.className + ": " + element.textContent.slice(0, 40))];
})()`;
