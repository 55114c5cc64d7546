// Formats the card input, and fills in a test card without loading a page. Without this script the page works as well,
// with more steps. The input leaves the form only by its button.

const gapMs = 500;
const main = document.querySelector("main");
const form = document.querySelector("form");
const number = document.querySelector("#number");
const expiry = document.querySelector("#expiry");
const code = document.querySelector("#code");

/** Reformats the digits, and keeps the caret after the same digit. */
function format(input, shape) {
  const { value, selectionStart } = input;
  const before = value.slice(0, selectionStart).replaceAll(/\D/g, "").length;
  const shaped = shape(value.replaceAll(/\D/g, ""));
  if (shaped === value) return;
  input.value = shaped;
  let [caret, digits] = [0, 0];
  while (digits < before && caret < shaped.length) digits += Number(/\d/.test(shaped[caret++]));
  // If the caret was at the end, it stays after the added characters, where the next digit will come.
  if (selectionStart === value.length) caret = shaped.length;
  input.setSelectionRange(caret, caret);
}

const inGroups = (digits) => digits.slice(0, 19).replaceAll(/\d{4}(?=\d)/g, "$& ");

/** Formats digits as a date. The month `1` may become 12, but `4` can only mean April, so it becomes `04`. */
function asDate(digits) {
  const padded = /^[2-9]/.test(digits) ? `0${digits}` : digits;
  return padded.length > 2 ? `${padded.slice(0, 2)}/${padded.slice(2, 6)}` : padded;
}

number?.addEventListener("input", () => format(number, inGroups));
expiry?.addEventListener("input", ({ inputType }) => {
  if (!inputType?.startsWith("delete")) format(expiry, asDate);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-number]");
  if (!link) return;
  event.preventDefault();
  number.value = link.dataset.number;
  expiry.value = form.dataset.expiry;
  code.value = form.dataset.code;
  for (const input of [number, expiry, code]) clearProblem(input);
  form.querySelector(".main").focus();
});

function clearProblem(input) {
  document.getElementById(`${input.id}-problem`)?.remove();
  input.removeAttribute("aria-invalid");
  input.removeAttribute("aria-describedby");
}

/** Disables the buttons after a submit, because a second submit would find the order decided. */
form?.addEventListener("submit", ({ submitter }) => {
  setTimeout(() => {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    if (submitter && form.contains(number)) submitter.textContent = "Asking your bank…";
  });
});

// Reloads a page that the browser shows from its back/forward cache.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

/** Polls on a page that waits for a decision, and reloads it when the decision arrives. */
async function poll() {
  try {
    const answer = await fetch(main.dataset.news, { cache: "no-store" });
    const { version } = await answer.json();
    if (version !== main.dataset.version) {
      location.reload();
      return;
    }
  } catch {
    // The wallet is not reachable now; the next poll repeats the request.
  }
  setTimeout(() => void poll(), gapMs);
}

if (main.dataset.news) setTimeout(() => void poll(), gapMs);
