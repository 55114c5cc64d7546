// Two comforts. The page is whole without them: this file may fail to load and nothing is lost.

const languageKey = "tollgate-reference-language";

/** Every block follows the language that was picked in one, and the next visit starts with it. */
function followLanguage() {
  document.addEventListener("change", ({ target }) => {
    if (!target.matches(".tabs > input")) return;
    const topBefore = target.getBoundingClientRect().top;
    pickEverywhere(target.value);
    // Blocks above may have grown or shrunk; what the reader looks at stays where it is.
    window.scrollBy({ top: target.getBoundingClientRect().top - topBefore, behavior: "instant" });
    remember(target.value);
  });
  const remembered = recall();
  if (remembered) pickEverywhere(remembered);
}

function pickEverywhere(language) {
  for (const input of document.querySelectorAll(".tabs > input")) {
    if (input.value === language) input.checked = true;
  }
}

/** A browser may refuse to keep anything; then the choice lasts as long as the page. */
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
  // Browsers give the clipboard to pages on TLS or on this machine only.
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

followLanguage();
addCopyButtons();
