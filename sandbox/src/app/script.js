// Keeps a page up to date. Without this script the pages have the same contents, and the browser or the reader reloads
// them.

const gapMs = 400;
const answerTimeoutMs = 5_000;
/** The next payment code is loaded this long before the current code expires. */
const renewEarlyMs = 500;

let main = document.querySelector("main");
const dialog = document.querySelector("dialog.asking");
/** Orders whose approval dialog the buyer has closed. The dialog of an order opens only once on a page. */
const putOff = new Set();
let endsAtMs;

/** Polls for changes while the page is visible. */
async function poll() {
  const { news, version } = main.dataset;
  if (news && !document.hidden) {
    try {
      const update = await (await fetchUpdate(news)).json();
      // The page may have been replaced during the request.
      if (news === main.dataset.news) await follow(update, version);
    } catch {
      // The wallet is not reachable now; the next poll repeats the request.
    }
  }
  setTimeout(() => void poll(), gapMs);
}

async function fetchUpdate(address) {
  const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(answerTimeoutMs) });
  if (!answer.ok) throw new Error(`Answered ${answer.status}.`);
  return answer;
}

async function follow({ version, asks = [], goTo }, shownVersion) {
  if (dialog.open) {
    if (!asks.includes(dialog.dataset.href)) dialog.close();
    return;
  }
  if (goTo) {
    location.assign(goTo);
    return;
  }
  const nextRequest = asks.find((href) => !putOff.has(href));
  if (nextRequest) await popUp(nextRequest);
  else if (shownVersion !== undefined && version !== shownVersion) await renew();
}

/** Shows the approval form of an order's page in a dialog. Its forms submit to that page. */
async function popUp(href) {
  const part = (await read(href)).querySelector(".ask");
  if (!part) return;
  for (const form of part.querySelectorAll("form")) form.action = href;
  const later = document.createElement("button");
  later.className = "later";
  later.textContent = "Later";
  later.addEventListener("click", () => dialog.close());
  dialog.dataset.href = href;
  dialog.replaceChildren(part, later);
  dialog.showModal();
}

dialog.addEventListener("close", () => {
  putOff.add(dialog.dataset.href);
  dialog.replaceChildren();
  // A new payment code is loaded, because the order may have used the shown code.
  if (main.querySelector(".ring")) void renew();
});

async function read(address) {
  return new DOMParser().parseFromString(await (await fetchUpdate(address)).text(), "text/html");
}

/** Replaces the page's contents with the newly loaded page. */
async function renew() {
  const page = await read(location.href);
  const next = page.querySelector("main");
  // A page with input fields has a live part. Only this part is replaced, so that input is not lost.
  const part = main.querySelector("#live");
  if (part) {
    part.replaceWith(next.querySelector("#live"));
    main.dataset.version = next.dataset.version;
    return;
  }
  const before = main.querySelector("h1")?.textContent;
  main.replaceWith(next);
  main = next;
  document.title = page.title;
  const title = main.querySelector("h1")?.textContent;
  if (title !== before) document.querySelector(".announcer").textContent = title;
  start();
}

function start() {
  // Browsers permit the clipboard only on this machine and over TLS.
  for (const button of main.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  const ring = main.querySelector(".ring");
  endsAtMs = ring ? performance.now() + Number(ring.dataset.seconds) * 1000 - renewEarlyMs : undefined;
}

/** The ring uses the browser's clock. That clock may be wrong, but its seconds are exact enough. */
function tick() {
  const ring = main.querySelector(".ring");
  if (!ring || endsAtMs === undefined) return;
  const seconds = Math.max(0, (endsAtMs - performance.now()) / 1000);
  const whole = ring.dataset.seconds;
  ring.querySelector(".left").setAttribute("stroke-dashoffset", String(whole - seconds));
  main.querySelector(".remaining").textContent = `${Math.ceil(seconds)} s`;
  if (seconds > 0 || dialog.open) return;
  endsAtMs = undefined;
  renew().catch(() => (endsAtMs = performance.now() + 1000));
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-copy]");
  if (button) void copyFrom(button);
});

async function copyFrom(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = "Copied";
}

start();
setInterval(tick, 200);
setTimeout(() => void poll(), gapMs);
