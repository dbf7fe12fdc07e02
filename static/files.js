// Adds files to a record: chosen, photographed, dragged or pasted, and puts them in another order. Pictures are shrunk, turned
// upright, and lose what the camera noted, before they are sent, one after the other, each with a small one for lists.
(() => {
  const LARGEST_SIDE = 2048;
  const SMALL_SIDE = 160;
  const QUALITY = 0.85;
  const KEPT = ["image/png", "image/webp"];
  const SHRUNK = /^image\/(jpeg|png|webp|heic|heif|avif)$/;

  const section = () => document.getElementById("files");
  const sectionForm = () => section()?.querySelector("form.adding");

  async function drawn(picture, side, type) {
    const scale = Math.min(1, side / Math.max(picture.width, picture.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    const context = canvas.getContext("2d");
    if (type === "image/jpeg") {
      context.fillStyle = "white";
      context.fillRect(0, 0, canvas.width, canvas.height);
    }
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
  }

  async function shrunk(picture, file) {
    if (!SHRUNK.test(file.type)) return file;
    const type = KEPT.includes(file.type) ? file.type : "image/jpeg";
    const name = type === file.type ? file.name : file.name.replace(/(\.\w+)?$/, ".jpg");
    return new File([await drawn(picture, LARGEST_SIDE, type)], name, { type });
  }

  async function fill(form, file) {
    // A browser that does not know the format sends it as it is.
    const picture =
      file.type.startsWith("image/") &&
      (await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => null));
    give(form.elements.file, picture ? await shrunk(picture, file) : file);
    const small = picture && (await drawn(picture, SMALL_SIDE, "image/jpeg"));
    give(form.elements.small, small && new File([small], "small.jpg", { type: "image/jpeg" }));
  }

  function give(input, file) {
    const chosen = new DataTransfer();
    if (file) chosen.items.add(file);
    input.files = chosen.files;
  }

  async function send(form, file) {
    await fill(form, file);
    const ended = new Promise((resolve) =>
      document.addEventListener("htmx:finally:request", resolve, { once: true }),
    );
    form.requestSubmit();
    await ended;
  }

  let isBusy = false;

  /** The form is found again each time: the answer replaces it. */
  async function add(files, formNow) {
    if (isBusy || files.length === 0) return;
    isBusy = true;
    const say = (text) => {
      const note = formNow()?.querySelector("[role=status]");
      if (note) note.textContent = text;
    };
    try {
      for (const [at, file] of files.entries()) {
        say(files.length > 1 ? `Adding ${at + 1} of ${files.length}…` : "Adding…");
        if (formNow()) await send(formNow(), file);
        if (section()?.querySelector("[role=alert]")) break;
      }
    } finally {
      isBusy = false;
      say("");
    }
  }

  document.addEventListener("change", ({ target }) => {
    if (!target.matches("form.adding [name=file]") || target.files.length === 0) return;
    const { form } = target;
    void add([...target.files], section()?.contains(form) ? sectionForm : () => form);
  });
  document.addEventListener("paste", ({ clipboardData }) => {
    const files = [...(clipboardData?.files ?? [])];
    if (sectionForm()) void add(files, sectionForm);
  });

  /** The file whose place is changed. */
  let moved;
  document.addEventListener("dragstart", ({ target }) => {
    moved = target.closest?.("#files li");
  });
  for (const kind of ["dragover", "dragleave", "drop", "dragend"]) {
    document.addEventListener(kind, (event) => (moved ? order(event) : take(event)));
  }

  function order(event) {
    const { type, target } = event;
    const over = target.closest?.("#files li");
    if (over) event.preventDefault();
    if (over) over.classList.toggle("over", type === "dragover" && over !== moved);
    if (type === "drop" && over && over !== moved) {
      const form = moved.querySelector("details form");
      const value = [...over.parentElement.children].indexOf(over);
      const button = Object.assign(document.createElement("button"), { name: "place", value });
      button.hidden = true;
      form.append(button);
      form.requestSubmit(button);
    }
    if (type === "dragend") moved = undefined;
  }

  function take(event) {
    if (!sectionForm() || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    section().classList.toggle("over", event.type === "dragover");
    if (event.type === "drop") void add([...event.dataTransfer.files], sectionForm);
  }
})();
