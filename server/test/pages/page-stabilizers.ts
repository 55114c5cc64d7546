/** Scripts that run in a page. */

export const waitForTransitions = `Promise.allSettled(
  document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished),
).then(() => undefined)`;

/** Writes the same ids, times and ports into a page each time, so that only our own changes differ. */
export const stabilizeTexts = `(() => {
  // A bar that stays in view would otherwise stand wherever the page was scrolled to.
  scrollTo(0, 0);
  const changes = [
    // Ids: as wide as they are, and broken across lines nowhere else.
    [/\\b[a-z]{2,5}_[\\w-]{12,}/g, (text) => "0".repeat(text.length)],
    [/(?=[\\w-]*\\d)[\\w-]{16,}/g, (text) => "0".repeat(text.length)],
    [/\\bFEE_\\w+/g, (text) => "0".repeat(text.length)],
    [/\\d{6,}/g, (text) => "0".repeat(text.length)],
    [/(127\\.0\\.0\\.1|localhost):\\d+/g, "$1:0000"],
    [/\\b\\d{1,2}:\\d{2}(:\\d{2})?(\\s[AP]M)?/g, (_, seconds, half) => "10:00" + (seconds ? ":00" : "") + (half ? " AM" : "")],
    [/\\b[A-Z][a-z]{2} \\d{1,2}(, \\d{4})?/g, (_, year) => "Nov 16" + (year ? ", 2026" : "")],
    [/\\b\\d{1,2} [A-Z][a-z]+ \\d{4}\\b/g, "16 November 2026"],
    [/\\d{4}-\\d{2}-\\d{2}/g, "2026-11-16"],
    [/\\b\\d+(\\.\\d+)? ?(ms|s|seconds?|minutes?|min|B|KB|bytes)\\b/g, "10 $2"],
  ];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  window.steadied = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    // Styles are texts as well, and a colour that was changed is no colour of ours.
    if (node.parentElement.closest("style, script")) continue;
    const steady = changes.reduce((text, [form, by]) => text.replace(form, by), node.data);
    if (steady === node.data) continue;
    window.steadied.push([node, node.data]);
    node.data = steady;
  }
})()`;

/** Restores the page's texts, so that its own script (React or not) finds them unchanged. */
export const restoreTexts = `window.steadied.forEach(([node, text]) => { node.data = text; })`;
