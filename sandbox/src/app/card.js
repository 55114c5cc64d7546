// Formats what is typed, and fills in a test card without a new page. Without this file the page does the same, with more
// presses. Nothing that is typed leaves the form in any other way than by its button.

const gapMs = 500;
const main = document.querySelector("main");
const form = document.querySelector("form");
const number = document.querySelector("#number");
const expiry = document.querySelector("#expiry");
const code = document.querySelector("#code");

/** Writes the digits in another form, and leaves the caret behind the digit that it was behind. */
function format(input, shape) {
  const { value, selectionStart } = input;
  const before = value.slice(0, selectionStart).replaceAll(/\D/g, "").length;
  const shaped = shape(value.replaceAll(/\D/g, ""));
  if (shaped === value) return;
  input.value = shaped;
  let [caret, digits] = [0, 0];
  while (digits < before && caret < shaped.length) digits += Number(/\d/.test(shaped[caret++]));
  // At the end, behind what was added as well: the next digit comes there.
  if (selectionStart === value.length) caret = shaped.length;
  input.setSelectionRange(caret, caret);
}

const inGroups = (digits) => digits.slice(0, 19).replaceAll(/\d{4}(?=\d)/g, "$& ");

/** `1` may become 12; whoever types 4 means April. */
function asDate(digits) {
  const whole = /^[2-9]/.test(digits) ? `0${digits}` : digits;
  return whole.length > 2 ? `${whole.slice(0, 2)}/${whole.slice(2, 6)}` : whole;
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

/** Pressed twice it would be sent twice, and the second would find the order decided. */
form?.addEventListener("submit", ({ submitter }) => {
  setTimeout(() => {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    if (submitter && form.contains(number)) submitter.textContent = "Asking your bank…";
  });
});

// A page that the browser had kept comes back as it was left.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

/** A page on which something is awaited is read again when it has happened. */
async function look() {
  try {
    const answer = await fetch(main.dataset.news, { cache: "no-store" });
    const { version } = await answer.json();
    if (version !== main.dataset.version) {
      location.reload();
      return;
    }
  } catch {
    // The wallet is away for a moment; the next look finds it.
  }
  setTimeout(() => void look(), gapMs);
}

if (main.dataset.news) setTimeout(() => void look(), gapMs);
