import QRCode from "qrcode";

const MARGIN = 2;

/** A QR code as inline SVG with a single path. */
export function Qr({ text }: { text: string }) {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: "M" });
  const side = modules.size + 2 * MARGIN;
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={`QR code of ${text}`}>
      <rect width={side} height={side} fill="white" />
      <path d={rows(modules)} stroke="black" shape-rendering="crispEdges" />
    </svg>
  );
}

// Each run of dark modules is a horizontal stroke of height 1.
function rows({ size, data }: { size: number; data: Uint8Array }): string {
  let path = "";
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const start = x;
      while (x < size && data[y * size + x]) x += 1;
      if (x > start) path += `M${start + MARGIN} ${y + MARGIN + 0.5}h${x - start}`;
    }
  }
  return path;
}
