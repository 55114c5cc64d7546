// The cashier's page: shows the state of the process, and sends it the pressed keys. It has no key and no gateway
// address.
const element = (id) => document.getElementById(id);
const { currency, digits } = document.querySelector("main").dataset;
const field = element("scanned");
const sounds = newSounds(element("sound"));

/** The last state from the process. */
let till = { sales: [], totals: [] };
/** The typed amount of the next sale, in minor units, and the amount of the last sale. */
let [typed, typedBefore] = ["", ""];

const changes = new EventSource("/changes");
changes.addEventListener("till", ({ data }) => {
  const before = till.sale;
  till = JSON.parse(data);
  const { sale } = till;
  if (sale && (sale.id !== before?.id || sale.state !== before.state)) sounds.play(sale.state);
  show();
});
changes.addEventListener("call", ({ data }) => showCall(JSON.parse(data)));
changes.addEventListener("error", () => tell(noProcess));
changes.addEventListener("open", () => tell(""));

element("scan").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value.trim();
  field.value = "";
  if (/^\d{16,}$/.test(text)) void charge(text);
  else if (/^\d{1,9}$/.test(text)) void typeAmount(text);
  else if (/^\d{1,7}[.,]\d+$/.test(text)) void typeAmount(minorOf(text));
  else if (text !== "") tell("This is not a payment code or an amount. Scan it again.");
});
for (const key of document.querySelectorAll("[data-key]"))
  key.addEventListener("click", () => void press(key.dataset.key));
element("show-code").addEventListener("click", () => void charge());
element("check").addEventListener("click", () => void post(`/sales/${till.sale.id}/check`));
element("cancel").addEventListener("click", () => void post(`/sales/${till.sale.id}/cancel`));
element("next").addEventListener("click", () => void post("/next"));
element("close-shift").addEventListener("click", () => void post("/shift"));
element("toggle-calls").addEventListener("click", ({ currentTarget }) => {
  const isOpened = currentTarget.getAttribute("aria-expanded") !== "true";
  currentTarget.setAttribute("aria-expanded", String(isOpened));
  element("calls").hidden = !isOpened;
});

// A scanner types like a keyboard, wherever the focus is. After a click the focus returns to the field; keyboard users
// keep the focus until they type a digit.
document.addEventListener("click", ({ detail, target }) => {
  if (detail > 0 && !target.closest("input, summary, pre, a")) field.focus();
});
document.addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey, target }) => {
  if (ctrlKey || metaKey || altKey || target.matches("input")) return;
  if (/^\d$/.test(key)) field.focus();
});
addEventListener("focus", () => document.activeElement === document.body && field.focus());
setInterval(() => showUntil(till.sale), 1_000);
field.focus();

function show() {
  const { sale } = till;
  const isBusy = sale !== undefined && isOpen(sale);
  const isNew =
    nextValue() === "" ? "Type the amount, then scan or show a code." : "Scan the buyer’s code, or show one.";
  element("screen").dataset.state = sale?.state ?? "idle";
  setText("title", sale?.title ?? "Ready");
  setText("sum", sale?.amount ?? shownMinor(typed));
  setText("text", sale?.text ?? isNew);
  showPicture(sale);
  element("check").hidden = !sale?.mayCheck;
  element("cancel").hidden = !sale?.mayCancel;
  setText("cancel", sale?.state === "unknown" ? "Cancel safely" : "Cancel");
  element("next").hidden = !sale || isBusy;
  element("receipt").hidden = !sale;
  setText("receipt", sale ? `Receipt ${sale.id}${sale.resultCode ? `, ${sale.resultCode}` : ""}` : "");
  element("show-code").disabled = isBusy || nextValue() === "";
  for (const key of document.querySelectorAll("[data-key]")) key.disabled = isBusy;
  showTotals(till.totals);
  showSales(till.sales);
}

/**
 * Returns the amount of the next sale. After a failed payment it is the last amount, so that the cashier need not type
 * it again.
 */
function nextValue() {
  const mayRetry = till.sale?.state === "declined" || till.sale?.state === "cancelled";
  return typed || (mayRetry ? typedBefore : "");
}

/** A digit after the end of a sale starts the next sale. */
async function press(key) {
  if (till.sale && isOpen(till.sale)) return;
  if (till.sale) await post("/next");
  till = { ...till, sale: undefined };
  typed = key === "back" ? typed.slice(0, -1) : (typed + key).replace(/^0+/, "").slice(0, 9);
  show();
}

async function typeAmount(minor) {
  typed = "";
  await press(minor);
}

async function charge(code) {
  const value = nextValue();
  if (till.sale && isOpen(till.sale)) tell("Finish the sale on the screen first.");
  else if (value === "") tell("Type the amount first, then scan.");
  else if (await post("/sales", { value, ...(code && { code }) })) [typed, typedBefore] = ["", value];
}

const noProcess = "The point-of-sale process does not respond. It may have been stopped.";

async function post(path, body = {}) {
  const headers = { "content-type": "application/json" };
  try {
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const { problem = "" } = await response.json();
    tell(problem);
    return response.ok;
  } catch {
    tell(noProcess);
    return false;
  }
}

const openStates = new Set(["waiting", "shows", "asks", "checking", "cancelling", "unknown"]);

function isOpen({ state }) {
  return openStates.has(state);
}

function minorOf(text) {
  const [whole, fraction] = text.split(/[.,]/);
  return whole + fraction.slice(0, Number(digits)).padEnd(Number(digits), "0");
}

function shownMinor(minor) {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(Number(minor || "0") / 10 ** Number(digits));
}

/** Sets a text only if it has changed, because a screen reader reads every text that is set. */
function setText(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
}

function tell(text) {
  setText("problem", text);
  element("problem").hidden = text === "";
}

function showPicture(sale) {
  const picture = element("picture");
  picture.hidden = !sale?.picture;
  if (sale?.picture && !picture.src.endsWith(sale.picture)) picture.src = sale.picture;
  showUntil(sale);
}

function showUntil(sale) {
  element("until").hidden = !sale?.shownUntil;
  if (!sale?.shownUntil) return;
  const left = Math.max(0, Math.round((Date.parse(sale.shownUntil) - Date.now()) / 1_000));
  setText("until", `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`);
}

function showTotals(totals) {
  const rows = totals.map(({ count, taken, givenBack, kept }) => {
    const row = document.createElement("tr");
    row.append(...[String(count), taken, givenBack, kept].map((text) => made("td", text)));
    return row;
  });
  const none = document.createElement("tr");
  const cell = made("td", "Nothing sold yet.");
  cell.colSpan = 4;
  none.append(cell);
  element("totals").tBodies[0].replaceChildren(...(rows.length > 0 ? rows : [none]));
}

const wayNames = { code: "Scanned", order: "Code shown", entry: "Sticker" };
const refundNames = {
  asked: "refund in progress",
  unknown: "refund outcome unknown",
  done: "refunded",
  refused: "refund rejected",
};

/** Updates the list of sales. Unchanged rows stay, together with a refund amount that the cashier is typing in them. */
function showSales(sales) {
  const list = element("sales");
  const rows = new Map([...list.children].map((row) => [row.dataset.id, row]));
  const wanted = sales.map((sale) => {
    const version = JSON.stringify(sale);
    const row = rows.get(sale.id);
    return row?.dataset.version === version ? row : saleRow(sale, version);
  });
  if (wanted.length !== list.children.length || wanted.some((row, index) => row !== list.children[index]))
    list.replaceChildren(...wanted);
}

function saleRow(sale, version) {
  const row = document.createElement("li");
  Object.assign(row.dataset, { id: sale.id, version, state: sale.state });
  const time = new Date(sale.at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const about = [time, wayNames[sale.way], sale.place].filter(Boolean).join(", ");
  const line = made("p", "", "line");
  line.append(
    made("span", sale.amount, "figure"),
    made("span", sale.title, "state"),
    made("span", about, "quiet"),
  );
  row.append(line);
  // Only sales at tables have buttons in the list, because the sale on the screen has its buttons there.
  if (sale.way === "entry" && sale.mayCheck)
    row.append(pressable("Check again", () => post(`/sales/${sale.id}/check`)));
  if (sale.way === "entry" && sale.mayCancel)
    row.append(pressable(sale.mayCheck ? "Cancel safely" : "Cancel", () => post(`/sales/${sale.id}/cancel`)));
  for (const refund of sale.refunds) row.append(...refundLine(sale, refund));
  if (sale.left) row.append(refundForm(sale));
  return row;
}

function refundLine(sale, { id, amount, state, resultCode }) {
  const reason = state === "refused" && resultCode ? ` (${resultCode})` : "";
  const line = made("p", `${amount} ${refundNames[state]}${reason}`, "refund");
  line.dataset.state = state;
  if (state !== "unknown") return [line];
  return [line, pressable("Check again", () => post(`/sales/${sale.id}/refunds/${id}/check`))];
}

function refundForm(sale) {
  const folded = document.createElement("details");
  const form = document.createElement("form");
  const label = made("label", "Amount");
  const input = document.createElement("input");
  Object.assign(input, { value: sale.left, inputMode: "decimal", autocomplete: "off", required: true });
  label.append(input);
  form.append(label, made("button", "Refund", "second"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void post(`/sales/${sale.id}/refund`, { amount: input.value });
  });
  folded.append(made("summary", "Refund this sale"), form);
  return folded;
}

function pressable(text, onPress) {
  const button = made("button", text, "second");
  button.type = "button";
  button.addEventListener("click", () => void onPress());
  return button;
}

const callsMax = 60;

function showCall({ number, at, direction, method, path, request, status, answer, durationMs }) {
  const list = element("call-list");
  if ([...list.children].some((each) => each.dataset.number === String(number) && each.dataset.at === at))
    return;
  const entry = document.createElement("li");
  Object.assign(entry.dataset, { number, at });
  const folded = document.createElement("details");
  const summary = document.createElement("summary");
  const verdict = answer?.result ?? request?.result;
  const said =
    status === undefined ? "no answer" : `${verdict?.resultStatus ?? status} ${verdict?.resultCode ?? ""}`;
  const outcome = made("span", said.trim(), "outcome");
  outcome.dataset.status = verdict?.resultStatus ?? "";
  const operation = direction === "in" ? "webhook from the gateway" : path.split("/").slice(-1)[0];
  summary.append(made("strong", operation), outcome, made("span", `${durationMs} ms`, "quiet"));
  folded.append(summary, made("p", `${method} ${path}`, "path"), block("Request", request));
  if (answer !== undefined) folded.append(block("Answer", answer));
  entry.append(folded);
  list.prepend(entry);
  while (list.children.length > callsMax) list.lastChild.remove();
}

/** A block of text that can have the focus, so that the keyboard can scroll it. */
function block(name, value) {
  const pre = made("pre", JSON.stringify(value, undefined, 2));
  Object.assign(pre, { tabIndex: 0, role: "group", ariaLabel: name });
  const figure = document.createElement("div");
  figure.append(made("p", name, "quiet"), pre);
  return figure;
}

function made(tag, text, className) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  if (className) node.className = className;
  return node;
}

/** Tones by state: pitches in hertz, in sequence. */
const tones = {
  waiting: [880],
  asks: [660, 660],
  paid: [660, 880, 1320],
  declined: [330, 220],
  cancelled: [440, 330],
  unknown: [300, 300, 300, 300],
};

function newSounds(button) {
  let isOn = localStorage.getItem("till-sound") !== "off";
  let audio;
  const showSwitch = () => {
    button.setAttribute("aria-pressed", String(isOn));
    button.textContent = isOn ? "Sound on" : "Sound off";
  };
  button.addEventListener("click", () => {
    isOn = !isOn;
    localStorage.setItem("till-sound", isOn ? "on" : "off");
    showSwitch();
  });
  showSwitch();
  return {
    play(state) {
      const pitches = tones[state];
      // No sound before the first key press or click: the browser would block it and log a warning.
      if (!isOn || !pitches || !navigator.userActivation?.hasBeenActive) return;
      audio ??= new AudioContext();
      pitches.forEach((pitch, index) => tone(audio, pitch, audio.currentTime + index * 0.14));
    },
  };
}

function tone(audio, pitch, at) {
  const [oscillator, volume] = [audio.createOscillator(), audio.createGain()];
  oscillator.frequency.value = pitch;
  volume.gain.setValueAtTime(0.12, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.13);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(at);
  oscillator.stop(at + 0.13);
}
