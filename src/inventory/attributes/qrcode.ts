import QRCode from "qrcode";

/** A base64 PNG, small enough for a list and sharp enough for a label. */
export async function qrcode(text: string): Promise<string> {
  const png = await QRCode.toBuffer(text, { errorCorrectionLevel: "M", margin: 2, scale: 4 });
  return png.toString("base64");
}
