// Reads one picture after the other beside the page, so that the page stays quick. jsQR stands above.

self.onmessage = ({ data: { data, width, height } }) => {
  const code = self.jsQR(data, width, height, { inversionAttempts: "dontInvert" });
  self.postMessage(code?.data ?? "");
};
