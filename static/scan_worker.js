// Decodes camera images in a worker, so that the page stays responsive. jsQR is prepended to this file.

self.onmessage = ({ data: { data, width, height } }) => {
  const code = self.jsQR(data, width, height, { inversionAttempts: "dontInvert" });
  self.postMessage(code?.data ?? "");
};
