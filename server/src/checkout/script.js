// Updates the checkout page without reloads. Without this script the page reloads itself, with the same content.

const firstGapMs = 150;
const calmGapMsMax = 5_000;
/** Poll interval while the event stream is open; polling is only a fallback then. */
const streamedGapMs = 300_000;
const faultGapMsMax = 30_000;
const answerTimeoutMs = 8_000;
/** Number of failed polls in a row after which the page shows an error: a single failed poll is not shown. */
const faultsToSpeakOf = 2;
const toldAtSeconds = [300, 60, 0];

const language = document.documentElement.lang;
const plural = new Intl.PluralRules(language);
const format = (time, parts) => time.toLocaleString(language, { numberingSystem: "latn", ...parts });

let main = document.querySelector("main");
let gapMs = firstGapMs;
let faults = 0;
let isAsking = false;
/**
 * A change event arrived while a poll is running. The poll's response may be older than the event, so the page polls
 * again.
 */
let isAskedAgain = false;
let stream;
let nextLook;
let everySecond;
let codeExpiry;

/** Polls the status of the payment, and again after a while, until it is settled. */
async function look() {
  clearTimeout(nextLook);
  isAskedAgain = isAsking;
  if (isAsking || !main.dataset.shown) return;
  isAsking = true;
  try {
    const answer = await ask(`${location.pathname}/status`);
    const { status, sequence, state, action } = await answer.json();
    if (main.dataset.shown !== `${status} ${sequence} ${state} ${action}`) await renew();
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

/** Listens to the event stream, which only reports that something has changed; the page then polls the status. */
function listen() {
  if (!main.dataset.shown || !("EventSource" in window)) return;
  stream = new EventSource(`${location.pathname}/changes`);
  stream.addEventListener("change", () => void look());
}

/** Reopens the event stream. A busy gateway process closes the stream, and the browser does not reconnect by itself. */
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

/** Replaces the page by the server's new one, because only the server knows what to show. */
async function renew() {
  const page = await (await ask(location.pathname + location.search)).text();
  const next = new DOMParser().parseFromString(page, "text/html");
  // The content security policy of the shown page permits no frame, or that of another provider.
  if (next.querySelector("iframe")) return location.reload();
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

/** Announces a text to screen readers, after the text that they are reading. */
function announce(text) {
  document.querySelector(".announcer").textContent = text;
}

function start() {
  clearInterval(everySecond);
  for (const time of main.querySelectorAll("time")) time.textContent = localTime(time);
  countDown();
  expireCode();
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

/** The plural form of an element's text for a number. */
function counted({ dataset }, count) {
  const forms = JSON.parse(dataset.forms);
  return (forms[plural.select(count)] ?? forms.other).replace("{count}", count);
}

/**
 * Counts down to the deadline. The server sends the deadline as remaining time, because the buyer's clock may be wrong.
 * At the end the page polls the server.
 */
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

/** Hides a code at its expiry, so that no buyer scans it, and then polls for the next one. */
function expireCode() {
  clearTimeout(codeExpiry);
  const figure = main.querySelector(".renewed:not(.over)");
  if (!figure) return;
  codeExpiry = setTimeout(
    () => {
      figure.classList.add("over");
      void look();
    },
    Number(figure.dataset.seconds) * 1000,
  );
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

/** Shows the search field, which filters a long list by the typed text. Collapsed entries are found, too. */
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

/** Copying and printing need this script, so the script shows their buttons. */
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

/** Returns a buyer who has paid to the shop, unless the buyer cancels it. */
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
    // `replace` keeps this page out of the history: navigating back from the shop must not redirect again.
    location.replace(link.href);
  }, 1000);
  const stop = () => clearInterval(going);
  // A page in the back-forward cache must not redirect when it is shown again.
  addEventListener("pagehide", stop);
  // A buyer who opens the languages or the tools reads on, so the redirect stops.
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
// The stream of a page that the buyer leaves would stay open.
addEventListener("pagehide", () => stream?.close());
// A page that the browser restores from its cache may be old, so it polls at once.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  listen();
  void look();
});
addEventListener("online", () => void look());
// An event stream without a connection looks open for a long time, so the page polls when the browser goes offline.
addEventListener("offline", () => void look());
document.addEventListener("visibilitychange", () => document.hidden || void look());
