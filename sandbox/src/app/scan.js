// Reads codes from the camera, and from pictures that are dropped, pasted or chosen. The wallet's server decodes them.

const sideMax = 1_200;
const frameGapMs = 250;

const place = document.getElementById("drop");
const statusLine = document.getElementById("said");
const video = document.getElementById("video");
const cameraButton = document.getElementById("camera");
const picture = document.getElementById("picture");
const canvas = document.createElement("canvas");
const context = canvas.getContext("2d", { willReadFrequently: true });

/** Sends the brightness of each pixel, and returns the address that the code opens. */
async function decode(source, width, height) {
  const scale = Math.min(1, sideMax / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  // Transparent pixels count as white.
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const brightness = new Uint8Array(canvas.width * canvas.height);
  for (let at = 0; at < brightness.length; at += 1)
    brightness[at] = (data[4 * at] * 299 + data[4 * at + 1] * 587 + data[4 * at + 2] * 114) / 1000;
  const answer = await fetch(`scan/picture?width=${canvas.width}`, { method: "POST", body: brightness });
  return answer.json();
}

async function readPicture(file) {
  statusLine.textContent = "Looking for a code…";
  try {
    const bitmap = await createImageBitmap(file);
    goWhere(await decode(bitmap, bitmap.width, bitmap.height));
  } catch {
    statusLine.textContent = "This browser can not read this file as a picture.";
  }
}

function goWhere({ href, text, problem }) {
  if (href?.startsWith("/")) location.assign(href);
  else if (href) sendTyped(text);
  else statusLine.textContent = problem;
}

/** Shows the target of a shop's code before the buyer goes there. */
function sendTyped(text) {
  const field = document.querySelector("input[name=code]");
  field.value = text;
  field.form.requestSubmit();
}

async function useCamera() {
  try {
    video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  } catch {
    statusLine.textContent = "There is no camera, or this page may not use it.";
    return;
  }
  cameraButton.hidden = true;
  video.hidden = false;
  await video.play();
  statusLine.textContent = "Hold the code in front of the camera.";
  while (video.srcObject) {
    const found = video.videoWidth > 0 ? await decode(video, video.videoWidth, video.videoHeight) : {};
    if (found.text !== undefined) {
      stopCamera();
      goWhere(found);
    }
    await new Promise((resolve) => setTimeout(resolve, frameGapMs));
  }
}

function stopCamera() {
  for (const track of video.srcObject?.getTracks() ?? []) track.stop();
  video.srcObject = null;
  video.hidden = true;
  cameraButton.hidden = !navigator.mediaDevices;
}

// The camera button is hidden if the page may not use the camera: browsers permit it only on pages of this machine and
// over TLS.
cameraButton.hidden = !navigator.mediaDevices;
cameraButton.addEventListener("click", () => void useCamera().catch(stopCamera));
document.getElementById("choose").addEventListener("click", () => picture.click());
picture.addEventListener("change", () => picture.files[0] && void readPicture(picture.files[0]));
addEventListener("pagehide", stopCamera);
addEventListener("dragover", (event) => {
  event.preventDefault();
  place.classList.add("over");
});
addEventListener("dragleave", () => place.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  place.classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (file) void readPicture(file);
});
addEventListener("paste", (event) => {
  const [file] = event.clipboardData.files;
  const text = event.clipboardData.getData("text");
  if (file) void readPicture(file);
  else if (text && !event.target.closest?.("input")) sendTyped(text);
});
place.hidden = false;
