// Spares the buyer the reloading. Without this file the page renews itself, and says the same.

const firstGapMs = 150;
const calmGapMsMax = 5_000;
/** While the stream is open, asking is only a second wall. */
const streamedGapMs = 300_000;
const faultGapMsMax = 30_000;
const answerTimeoutMs = 8_000;
/** One lost answer is nothing to speak of. */
const faultsToSpeakOf = 2;
const toldAtSeconds = [300, 60, 0];

const language = document.documentElement.lang;
const plural = new Intl.PluralRules(language);
const format = (time, parts) => time.toLocaleString(language, { numberingSystem: "latn", ...parts });

let main = document.querySelector("main");
let gapMs = firstGapMs;
let faults = 0;
let isAsking = false;
/** What is being asked for may be answered from before the change that we were told of meanwhile. */
let isAskedAgain = false;
let stream;
let nextLook;
let everySecond;

/** Asks how the payment stands, and again a little later, as long as it is not settled. */
async function look() {
  clearTimeout(nextLook);
  isAskedAgain = isAsking;
  if (isAsking || !main.dataset.shown) return;
  isAsking = true;
  try {
    const answer = await ask(`${location.pathname}/status`);
    const { status, sequence, state } = await answer.json();
    if (main.dataset.shown !== `${status} ${sequence} ${state}`) await renew();
    else if (gapMs === calmGapMsMax) listenAgain();
    else gapMs = Math.min(gapMs * 1.6, calmGapMsMax);
    faults = 0;
  } catch {
    faults += 1;
    gapMs = Math.min(Math.max(gapMs, 2_000) * 2, faultGapMsMax);
  }
  isAsking = false;
  document.querySelector(".lost").hidden = faults < faultsToSpeakOf;
  if (!main.dataset.shown) stream?.close();
  else nextLook = setTimeout(() => void look(), gapToNext());
}

function gapToNext() {
  if (faults > 0 || !isStreamed()) return gapMs;
  return isAskedAgain ? 0 : streamedGapMs;
}

/** The gateway says when something has changed; what has, the page asks for as ever. */
function listen() {
  if (!main.dataset.shown || !("EventSource" in window)) return;
  stream = new EventSource(`${location.pathname}/changes`);
  stream.addEventListener("change", () => void look());
}

/** A process that is busy sends a stream away, and the browser does not try again. */
function listenAgain() {
  if (stream?.readyState === EventSource.CLOSED) listen();
}

function isStreamed() {
  return stream?.readyState === EventSource.OPEN;
}

async function ask(path) {
  const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(answerTimeoutMs) });
  if (!answer.ok) throw new Error(`Answered ${answer.status}.`);
  return answer;
}

/** The server alone knows what to show: its page takes the place of this one. */
async function renew() {
  const page = await (await ask(location.pathname + location.search)).text();
  const next = new DOMParser().parseFromString(page, "text/html");
  const hadFocus = main.contains(document.activeElement);
  main.replaceWith(next.querySelector("main"));
  main = document.querySelector("main");
  document.title = next.title;
  gapMs = firstGapMs;
  start();
  goBackSoon();
  if (hadFocus) main.querySelector("h1").focus();
  else announce(main.querySelector("h1").textContent);
}

/** Said to those who do not see the page, when they have heard the rest. */
function announce(text) {
  document.querySelector(".announcer").textContent = text;
}

function start() {
  clearInterval(everySecond);
  for (const time of main.querySelectorAll("time")) time.textContent = localTime(time);
  countDown();
  showSearch();
  showTools();
}

function localTime({ dateTime, classList }) {
  const time = new Date(dateTime);
  const day = { day: "numeric", month: "short" };
  if (classList.contains("day")) return format(time, day);
  const isToday = time.toDateString() === new Date().toDateString();
  return format(time, { ...(isToday ? {} : day), hour: "numeric", minute: "2-digit" });
}

/** The form of an element's text that goes with a number. */
function counted({ dataset }, count) {
  const forms = JSON.parse(dataset.forms);
  return (forms[plural.select(count)] ?? forms.other).replace("{count}", count);
}

/** The end comes as what is left, because the buyer's clock may be wrong. At the end the server is asked. */
function countDown() {
  const deadline = main.querySelector(".deadline");
  if (!deadline) return;
  const endsAtMs = Date.now() + Number(deadline.dataset.seconds) * 1000;
  let before = Number(deadline.dataset.seconds);
  const tick = () => {
    const seconds = Math.max(0, Math.ceil((endsAtMs - Date.now()) / 1000));
    deadline.querySelector(".remaining").textContent = clockText(seconds);
    deadline.classList.toggle("soon", seconds <= 60);
    const told = toldAtSeconds.findLast((limit) => before > limit && seconds <= limit);
    if (told !== undefined) announce(told === 0 ? deadline.dataset.over : counted(deadline, told / 60));
    if (before > 0 && seconds === 0) void look();
    before = seconds;
  };
  tick();
  everySecond = setInterval(tick, 1000);
}

function clockText(seconds) {
  const minutes = Math.floor(seconds / 60);
  const rest = twoDigits(seconds % 60);
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${rest}`;
}

function twoDigits(number) {
  return String(number).padStart(2, "0");
}

/** A long list is narrowed by what is typed; what was folded away is found, too. */
function showSearch() {
  const search = main.querySelector(".search");
  if (!search) return;
  search.hidden = false;
  const folded = main.querySelector(".methods details");
  const methods = [...main.querySelectorAll(".method")];
  const bare = (text) =>
    text
      .normalize("NFD")
      .replaceAll(/[\p{M}\s’']/gu, "")
      .toLowerCase();
  search.querySelector("input").addEventListener("input", ({ target }) => {
    const wanted = bare(target.value);
    for (const method of methods) method.hidden = !bare(method.textContent).includes(wanted);
    search.querySelector(".none").hidden = methods.some(({ hidden }) => !hidden);
    if (folded) folded.open = wanted !== "";
  });
}

/** Copying and printing need this script, so it is what shows them. */
function showTools() {
  const tools = main.querySelector(".tools");
  if (!tools) return;
  tools.hidden = false;
  tools.querySelector(".print")?.addEventListener("click", () => print());
  if (!navigator.clipboard) return;
  for (const name of main.querySelectorAll(".copied")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = tools.dataset.copy;
    button.addEventListener("click", () => void copy(name.textContent));
    const copy = async (text) => {
      await navigator.clipboard.writeText(text);
      button.textContent = tools.dataset.copied;
      announce(tools.dataset.copied);
    };
    name.after(" ", button);
  }
}

/** Takes a buyer who has paid back to the shop, unless told to stay. */
function goBackSoon() {
  const note = main.querySelector(".return");
  if (!note) return;
  const link = main.querySelector(".back");
  let seconds = Number(note.dataset.seconds);
  const going = setInterval(() => {
    seconds -= 1;
    note.querySelector(".remaining").textContent = counted(note, seconds);
    if (seconds > 0) return;
    stop();
    // Not kept in the history: the way back from the shop must not lead here, and forth again.
    location.replace(link.href);
  }, 1000);
  const stop = () => clearInterval(going);
  // A page that is left may be kept as it is, and must not go on when it is shown again.
  addEventListener("pagehide", stop);
  // A buyer who reads on, in another language or for the receipt, wants to stay.
  document.querySelector(".languages").addEventListener("toggle", stop, { once: true });
  main.querySelector(".tools")?.addEventListener("click", stop);
  note.querySelector("button").addEventListener("click", () => {
    stop();
    note.hidden = true;
    link.focus();
  });
  note.hidden = false;
}

start();
listen();
if (performance.getEntriesByType("navigation")[0]?.type !== "back_forward") goBackSoon();
nextLook = setTimeout(() => void look(), firstGapMs);
// A stream of a page that is left would be kept open with it.
addEventListener("pagehide", () => stream?.close());
// After a sleep, or without a connection, the payment has gone on without us.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  listen();
  void look();
});
addEventListener("online", () => void look());
// A stream that nothing comes through any more looks open for a long time.
addEventListener("offline", () => void look());
document.addEventListener("visibilitychange", () => document.hidden || void look());
