// Spares the buyer the reloading. Without this file the page renews itself, and says the same.

const firstGapMs = 2_000;
const calmGapMsMax = 5_000;
const faultGapMsMax = 30_000;
const answerTimeoutMs = 8_000;
/** One lost answer is nothing to speak of. */
const faultsToSpeakOf = 2;
const toldAtSeconds = [300, 60, 0];

let main = document.querySelector("main");
let gapMs = firstGapMs;
let faults = 0;
let isAsking = false;
let nextLook;
let everySecond;

/** Asks how the payment stands, and again a little later, as long as it is not settled. */
async function look() {
  clearTimeout(nextLook);
  if (isAsking || !main.dataset.shown) return;
  isAsking = true;
  try {
    const answer = await ask(`${location.pathname}/status`);
    const { status, sequence, ready } = await answer.json();
    if (main.dataset.shown === `${status} ${sequence} ${ready}`) gapMs = Math.min(gapMs * 1.1, calmGapMsMax);
    else await renew();
    faults = 0;
  } catch {
    faults += 1;
    gapMs = Math.min(gapMs * 2, faultGapMsMax);
  }
  isAsking = false;
  document.querySelector(".lost").hidden = faults < faultsToSpeakOf;
  if (main.dataset.shown) nextLook = setTimeout(look, gapMs);
}

async function ask(path) {
  const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(answerTimeoutMs) });
  if (!answer.ok) throw new Error(`Answered ${answer.status}.`);
  return answer;
}

/** The server alone knows what to show: its page takes the place of this one. */
async function renew() {
  const page = await (await ask(location.pathname)).text();
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
  for (const time of main.querySelectorAll("time")) time.textContent = localTime(new Date(time.dateTime));
  countDown();
}

function localTime(time) {
  const isToday = time.toDateString() === new Date().toDateString();
  const day = isToday ? {} : { day: "numeric", month: "short" };
  return time.toLocaleString(undefined, { ...day, hour: "numeric", minute: "2-digit" });
}

/** The end comes as what is left, because the buyer's clock may be wrong. At the end the server is asked. */
function countDown() {
  const deadline = main.querySelector(".deadline");
  if (!deadline) return;
  const endsAtMs = Date.now() + Number(deadline.dataset.seconds) * 1000;
  let before = Number(deadline.dataset.seconds);
  const tick = () => {
    const seconds = Math.max(0, Math.ceil((endsAtMs - Date.now()) / 1000));
    deadline.querySelector(".remaining").textContent = `${clockText(seconds)} left`;
    deadline.classList.toggle("soon", seconds <= 60);
    const told = toldAtSeconds.findLast((limit) => before > limit && seconds <= limit);
    if (told !== undefined) announce(toldText(told));
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

function toldText(seconds) {
  if (seconds === 0) return "The time to pay is over.";
  return seconds === 60 ? "1 minute left to pay." : `${seconds / 60} minutes left to pay.`;
}

/** Takes a buyer who has paid back to the shop, unless told to stay. */
function goBackSoon() {
  const note = main.querySelector(".return");
  if (!note) return;
  const link = main.querySelector(".back");
  let seconds = Number(note.dataset.seconds);
  const going = setInterval(() => {
    seconds -= 1;
    note.querySelector(".remaining").textContent = seconds;
    if (seconds > 0) return;
    stop();
    // Not kept in the history: the way back from the shop must not lead here, and forth again.
    location.replace(link.href);
  }, 1000);
  const stop = () => clearInterval(going);
  // A page that is left may be kept as it is, and must not go on when it is shown again.
  addEventListener("pagehide", stop);
  note.querySelector("button").addEventListener("click", () => {
    stop();
    note.hidden = true;
    link.focus();
  });
  note.hidden = false;
}

start();
if (performance.getEntriesByType("navigation")[0]?.type !== "back_forward") goBackSoon();
nextLook = setTimeout(look, firstGapMs);
// After a sleep, or without a connection, the payment has gone on without us.
addEventListener("pageshow", ({ persisted }) => persisted && void look());
addEventListener("online", () => void look());
document.addEventListener("visibilitychange", () => document.hidden || void look());
