// Progressive enhancement: the search, code tabs that follow the reader's choice, copy buttons. Every page works
// without this script.

const languageKey = "tollgate-reference-language";

/**
 * All code blocks switch to the language that the reader chooses in one block. The next visit starts with that
 * language.
 */
function followLanguage() {
  document.addEventListener("change", ({ target }) => {
    if (!target.matches(".tabs > input")) return;
    const topBefore = target.getBoundingClientRect().top;
    pickEverywhere(target.value);
    // Blocks above the chosen one may have changed their height, so the page scrolls until the chosen block is where it
    // was.
    window.scrollBy({ top: target.getBoundingClientRect().top - topBefore, behavior: "instant" });
    remember(target.value);
  });
  const remembered = recall();
  if (remembered) pickEverywhere(remembered);
}

/**
 * Switches all blocks of code to a language. A block that has this language in only one form, by hand or with a
 * library, switches to that form.
 */
function pickEverywhere(language) {
  for (const block of document.querySelectorAll(".tabs")) {
    const inputs = [...block.querySelectorAll(":scope > input")];
    const other = language.endsWith("-library") ? language.replace("-library", "") : `${language}-library`;
    const input =
      inputs.find(({ value }) => value === language) ?? inputs.find(({ value }) => value === other);
    if (input) input.checked = true;
  }
}

/** A browser may refuse local storage; then the chosen language lasts only for this page. */
function remember(language) {
  try {
    localStorage.setItem(languageKey, language);
  } catch {}
}

function recall() {
  try {
    return localStorage.getItem(languageKey);
  } catch {
    return undefined;
  }
}

function addCopyButtons() {
  // Browsers allow access to the clipboard only for pages on TLS or on localhost.
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => void copy(block, button));
    block.append(button);
  }
}

async function copy(block, button) {
  const shown = [...block.querySelectorAll("pre")].find((pre) => pre.offsetParent);
  try {
    await navigator.clipboard.writeText(shown.textContent);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => (button.textContent = "Copy"), 1600);
}

/** Scrolls the table of contents so that the link to the current page is visible. */
function showWhereIAm() {
  const nav = document.querySelector(".contents");
  const here = nav?.querySelector("[aria-current]");
  if (!here || nav.scrollHeight <= nav.clientHeight) return;
  nav.scrollTop = here.offsetTop - nav.clientHeight / 2;
}

/** Redirects an older `docUrl`, which leads to the start page with a code as anchor. */
function forwardOldLinks() {
  const entry = document.getElementById(location.hash.slice(1))?.closest(".code-list > li");
  if (entry) location.replace(entry.querySelector("a").href);
}

const shownMax = 8;

/**
 * A search button in the bar, and its dialog. `/` and Ctrl-K open it, the arrow keys select, Enter opens the result.
 */
function addSearch() {
  const button = element("button", { type: "button", className: "search-button" });
  button.append(element("span", { textContent: "Search" }), element("kbd", { textContent: "/" }));
  const input = element("input", {
    type: "search",
    className: "search-input",
    placeholder: "Search: refund, ORDER_NOT_EXIST, paymentNotifyUrl …",
  });
  attributes(input, {
    role: "combobox",
    "aria-label": "Search",
    "aria-controls": "found",
    "aria-expanded": "true",
  });
  const list = element("ul", { id: "found", className: "found" });
  attributes(list, { role: "listbox", "aria-label": "Results" });
  const told = element("p", { className: "search-told" });
  attributes(told, { role: "status" });
  const dialog = element("dialog", { className: "search" });
  attributes(dialog, { "aria-label": "Search the docs" });
  dialog.append(input, list, told);
  document.querySelector(".bar-links").before(button);
  document.body.append(dialog);

  const open = () => {
    if (!dialog.open) dialog.showModal();
    input.select();
    void show(input.value);
  };
  let latest = "";
  let search;
  const show = async (question) => {
    latest = question;
    search ??= import("./search.js").then(({ entries, openSearch }) => openSearch(entries));
    const found = (await search)(question).slice(0, shownMax);
    if (latest !== question) return;
    list.replaceChildren(...found.map(optionOf));
    choose(list.firstElementChild);
    const none = `Nothing about “${question}”. All pages are in the contents.`;
    told.textContent = question.trim() !== "" && found.length === 0 ? none : "";
  };
  const choose = (option) => {
    for (const each of list.children) each.setAttribute("aria-selected", String(each === option));
    input.setAttribute("aria-activedescendant", option?.id ?? "");
    option?.scrollIntoView({ block: "nearest" });
  };
  const chosen = () => list.querySelector("[aria-selected=true]");

  button.addEventListener("click", open);
  input.addEventListener("input", () => void show(input.value));
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  input.addEventListener("keydown", (event) => {
    const { key } = event;
    // Escape in a search field only empties the field, so the script closes the dialog.
    if (key === "Escape") dialog.close();
    else if (key === "Enter") chosen()?.querySelector("a").click();
    else if (key === "ArrowDown") choose(chosen()?.nextElementSibling ?? list.firstElementChild);
    else if (key === "ArrowUp") choose(chosen()?.previousElementSibling ?? list.lastElementChild);
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", ({ target }) => target.closest("a") && dialog.close());
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input:not([type=radio]), textarea, select");
    const isSlash = event.key === "/" && !isTyping;
    if (!isSlash && !((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k")) return;
    event.preventDefault();
    open();
  });
}

function optionOf({ title, path, kind, about }, index) {
  const option = element("li", { id: `found-${index}` });
  attributes(option, { role: "option" });
  // Paths of search results begin at the root of the gateway, which need not be the root of the host.
  const link = element("a", { href: new URL(`..${path}`, import.meta.url).href, tabIndex: -1 });
  link.append(
    element("strong", { textContent: title }),
    element("small", { textContent: kind }),
    element("span", { textContent: about.replaceAll("`", "") }),
  );
  option.append(link);
  return option;
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

function attributes(target, values) {
  for (const [name, value] of Object.entries(values)) target.setAttribute(name, value);
}

forwardOldLinks();
followLanguage();
addCopyButtons();
showWhereIAm();
addSearch();
