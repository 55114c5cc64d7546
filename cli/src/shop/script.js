// Keeps an order's page up to date. Without this script the browser reloads the page.
const live = document.querySelector("main[data-live]");

if (live) {
  const changes = new EventSource(`${location.pathname}/changes`);
  changes.addEventListener("message", ({ data }) => {
    const main = document.querySelector("main");
    if (main?.dataset.live !== data) void renew(main);
  });
}

/** Replaces only the content of the page, so that the scroll position is kept. A field with focus is not replaced. */
async function renew(main) {
  if (document.activeElement?.matches("input")) document.activeElement.blur();
  const response = await fetch(location.pathname);
  if (!response.ok) return;
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  const content = next.querySelector("main");
  if (!content) return;
  main.replaceWith(content);
  document.title = next.title;
}
