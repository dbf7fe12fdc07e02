// The scan desk with scripting: the keys of a scanner are read wherever the focus is, scans do not wait for each other,
// and the camera reads codes. Loaded after app.js, only on the scanner page.
{
  const desk = find("#desk");
  const entry = find("#scan");
  const button = find("[data-camera]");
  /** Scanned texts that are not on the list yet. */
  let waiting = [];
  let sent = 0;
  let list;

  // All keys may come from the scanner, so shortcuts are off.
  page.dataset.keys = "off";

  function scan(text) {
    waiting.push(text);
    send();
  }

  // The returned list includes what was sent; texts of a failed request are sent with the next scan.
  function send() {
    if (sent > 0 || waiting.length === 0) return;
    sent = waiting.length;
    list = find("#scanned");
    const fields = waiting.map((value) => {
      const field = document.createElement("input");
      return Object.assign(field, { type: "hidden", name: "scan", value });
    });
    entry.name = "";
    desk.append(...fields);
    desk.requestSubmit();
    for (const field of fields) field.remove();
    entry.name = "scan";
  }

  document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
    if (ctx.sourceElement !== desk) return;
    const hasArrived = find("#scanned") !== list;
    if (hasArrived) waiting = waiting.slice(sent);
    sent = 0;
    guard();
    if (!hasArrived) return;
    signal(find("#scanned .said.bad") !== null);
    send();
  });

  // app.js asks before a form with changes is left; applying them is not leaving.
  function guard() {
    desk.toggleAttribute("data-changed", find("#scanned tbody") !== null);
  }

  document.addEventListener("submit", ({ target }) => {
    if (target.id === "apply") delete desk.dataset.changed;
  });

  guard();

  // Buttons that stand for a code, on the page twice or more

  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("button[name=scan]");
    if (!pressed) return;
    event.preventDefault();
    scan(pressed.value);
    entry.focus();
  });

  // A scanner types faster than a person, and ends with Enter

  const FAST = 50;
  const SHORTEST = 4;
  let burst = { text: "", at: 0, field: null, before: "" };

  window.addEventListener(
    "keydown",
    (event) => {
      const { key, target, timeStamp } = event;
      if (event.altKey || event.isComposing || find("dialog[open]")) return;
      if (event.ctrlKey || event.metaKey) return applyByKey(event);
      if (key === "Enter") return end(event);
      if (key.length !== 1) return;
      const isElsewhere = isField(target) && target !== entry;
      if (!isElsewhere) entry.focus();
      const goesOn = timeStamp - burst.at < FAST && burst.field === target;
      const { text, before } = goesOn ? burst : { text: "", before: target.value };
      burst = { text: text + key, at: timeStamp, field: target, before };
    },
    true,
  );

  function applyByKey(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    find("#apply button[name=action]")?.click();
  }

  function end(event) {
    const { target, timeStamp } = event;
    const isBurst = timeStamp - burst.at < FAST && burst.text.length >= SHORTEST;
    if (target === entry) take(event, entry.value);
    else if (isBurst && isField(target) && !target.matches("[data-try]")) {
      target.value = burst.before;
      take(event, burst.text);
    }
    burst = { text: "", at: 0, field: null, before: "" };
  }

  function take(event, text) {
    event.preventDefault();
    event.stopPropagation();
    entry.value = "";
    if (text.trim() !== "") scan(text.trim());
  }

  desk.addEventListener("submit", (event) => {
    if (sent > 0 || event.submitter?.name) return;
    event.stopImmediatePropagation();
    take(event, entry.value);
  });

  // A tone and a vibration, for users who do not look at the screen

  const wantsSignal = find("[data-signal]");
  let audio;

  function signal(isError) {
    if (!wantsSignal.checked) return;
    navigator.vibrate?.(isError ? [80, 60, 80] : 40);
    audio ??= new AudioContext();
    const tone = audio.createOscillator();
    tone.frequency.value = isError ? 220 : 880;
    tone.connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + (isError ? 0.3 : 0.08));
  }

  // The camera

  const PAUSE = 120;
  /** Milliseconds out of sight after which the same code counts again. */
  const AGAIN = 2000;
  const CAMERA_ERRORS = {
    NotAllowedError: "Camera blocked: allow it in the address bar of the browser",
    NotFoundError: "No camera found; type the code, or use a scanner",
    NotReadableError: "The camera is used by another program",
  };
  const panel = find("#camera");
  const video = find("video", panel);
  let stream;
  /** The reader starts with the first opening of the camera, and is kept: the page may have one policy for its URL. */
  let reading;

  button.addEventListener("click", () => (stream ? closeCamera() : openCamera()));
  window.addEventListener("pagehide", closeCamera);
  // To photograph an item, the phone takes the camera away from the page.
  document.addEventListener("visibilitychange", () => {
    const isGone = stream?.getTracks().some(({ readyState }) => readyState === "ended");
    if (isGone && document.visibilityState === "visible") void openCamera();
  });

  async function openCamera() {
    panel.hidden = false;
    video.hidden = false;
    button.ariaExpanded = "true";
    showCameraText("Starting camera…");
    try {
      if (!navigator.mediaDevices) throw new Error("Browsers allow the camera only on https pages");
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      video.srcObject = stream;
      await video.play();
      showCameraText("Hold a code in front of the camera");
      reading ??= reader();
      await watch(await reading, stream);
    } catch (error) {
      closeCamera();
      panel.hidden = false;
      video.hidden = true;
      showCameraText(CAMERA_ERRORS[error.name] ?? error.message);
    }
  }

  function closeCamera() {
    for (const track of stream?.getTracks() ?? []) track.stop();
    stream = undefined;
    video.srcObject = null;
    panel.hidden = true;
    button.ariaExpanded = "false";
  }

  function showCameraText(text) {
    find("p", panel).textContent = text;
  }

  async function watch(read, watched) {
    let seen = { text: "", at: 0 };
    while (stream === watched) {
      const text = await read();
      const now = performance.now();
      const isNew = text && (text !== seen.text || now - seen.at > AGAIN);
      if (text) seen = { text, at: now };
      if (isNew) {
        scan(text);
        showCameraText(`Read ${text}`);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  /** Returns the code reader: that of the browser if it has one, else our worker. */
  async function reader() {
    const formats = await window.BarcodeDetector?.getSupportedFormats();
    if (formats?.includes("qr_code")) {
      const detector = new BarcodeDetector({ formats: ["qr_code"] });
      return async () => (await detector.detect(video))[0]?.rawValue;
    }
    const worker = new Worker(workerUrl(button.dataset.camera));
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d", { willReadFrequently: true });
    return () => {
      const { videoWidth: width, videoHeight: height } = video;
      if (width === 0) return undefined;
      Object.assign(canvas, { width, height });
      context.drawImage(video, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      return new Promise((resolve, reject) => {
        worker.onmessage = ({ data: text }) => resolve(text);
        worker.onerror = () => reject(new Error("The code reader did not start"));
        worker.postMessage({ data, width, height }, [data.buffer]);
      });
    };
  }

  // Trusted Types: the policy of this page allows only this URL.
  function workerUrl(path) {
    if (!window.trustedTypes) return path;
    const policy = trustedTypes.createPolicy("scan", {
      createScriptURL: (url) => (/^\/static\/scan_worker\.[0-9a-f]{8}\.js$/.test(url) ? url : ""),
    });
    return policy.createScriptURL(path);
  }
}
