/** Copying of texts and pictures; a picture that the browser does not copy is saved as a file. */

/** Pixels of the PNG for each pixel of the SVG. */
const SCALE = 2;

/** Copies a text; false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A report that was opened from disk may have no access to the clipboard: copy a selection instead.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}

/** Copies an SVG as a PNG, or saves it as a file; false if neither is possible. */
export async function copyPng(svg: string, name: string): Promise<"copied" | "saved" | "failed"> {
  try {
    const canvas = await drawSvg(svg);
    const picture = new Promise<Blob>((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
    );
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
      return "copied";
    } catch {
      save(canvas.toDataURL("image/png"), `${name}.png`);
      return "saved";
    }
  } catch {
    return "failed";
  }
}

async function drawSvg(svg: string): Promise<HTMLCanvasElement> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth * SCALE, image.naturalHeight * SCALE];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function save(url: string, name: string): void {
  const link = document.createElement("a");
  [link.href, link.download] = [url, name];
  link.click();
}
