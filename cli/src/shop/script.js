// Keeps an order's page as it is now. Without it the page is reloaded by the browser.
const live = document.querySelector("main[data-live]");

if (live) {
  const changes = new EventSource(`${location.pathname}/changes`);
  changes.addEventListener("message", ({ data }) => {
    const main = document.querySelector("main");
    if (main?.dataset.live !== data) void renew(main);
  });
}

/** Replaces the content only, so that the reader stays where they are. A field that is being written in is left alone. */
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
