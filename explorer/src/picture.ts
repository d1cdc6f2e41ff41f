// The tree that is shown as a picture of its own: the styles of the page are written into it.
const STYLES = ["fill", "stroke", "stroke-width", "paint-order", "font-family", "font-size", "font-weight", "opacity"];

/** In the colors of the page, or in those of another theme. */
export function pictureOf(root: HTMLElement, theme = root.dataset.theme): string {
  const before = root.dataset.theme;
  root.dataset.theme = theme; // only for the time of copying: nothing is drawn in between
  try {
    return copied(root);
  } finally {
    root.dataset.theme = before;
  }
}

function copied(root: HTMLElement): string {
  const shown = root.querySelector<SVGSVGElement>(".hb-picture")!;
  const content = shown.querySelector<SVGGElement>("g")!;
  const box = content.getBBox();
  const margin = 16;
  const size = { x: box.x - margin, y: box.y - margin, width: box.width + 2 * margin, height: box.height + 2 * margin };
  const copy = shown.cloneNode(true) as SVGSVGElement;
  const originals = shown.querySelectorAll<SVGElement>("*");
  copy.querySelectorAll<SVGElement>("*").forEach((element, index) => {
    const style = getComputedStyle(originals[index]);
    for (const name of STYLES) element.style.setProperty(name, style.getPropertyValue(name));
    for (const name of ["role", "tabindex", "aria-label", "aria-pressed", "class", "data-place"]) element.removeAttribute(name);
  });
  copy.querySelector("g")!.removeAttribute("transform");
  for (const name of [...copy.getAttributeNames()]) copy.removeAttribute(name);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `${size.x} ${size.y} ${size.width} ${size.height}`);
  copy.setAttribute("width", String(size.width));
  copy.setAttribute("height", String(size.height));
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries(size)) paper.setAttribute(name, String(value));
  paper.setAttribute("fill", getComputedStyle(root).backgroundColor);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

/** At twice the size, for sharp print. */
export async function pngOf(picture: string): Promise<Blob> {
  const { canvas } = await drawn(picture, 2);
  return await new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large."))), "image/png"),
  );
}

const MOST_PIXELS = 4e7; // browsers draw no larger pictures

/** One page with the picture in 288 dots per inch, or less if it is very large. */
export async function pdfOf(picture: string): Promise<Blob> {
  const { canvas, width, height } = await drawn(picture, 4);
  const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
  const colors = new Uint8Array((data.length / 4) * 3).map((_, at) => data[Math.floor(at / 3) * 4 + (at % 3)]);
  const stream = new Blob([colors]).stream().pipeThrough(new CompressionStream("deflate"));
  const image = new Uint8Array(await new Response(stream).arrayBuffer());
  const [x, y] = [width * 0.75, height * 0.75]; // points, of which an inch has 72, and 96 pixels
  const draw = `${x} 0 0 ${y} 0 0 cm /I Do`;
  return pdfFile([
    ["<< /Type /Catalog /Pages 2 0 R >>"],
    ["<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],
    [`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${x} ${y}] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>`],
    [`<< /Length ${draw.length} >>\nstream\n${draw}\nendstream`],
    [
      `<< /Type /XObject /Subtype /Image /Width ${canvas.width} /Height ${canvas.height} /ColorSpace /DeviceRGB ` +
        `/BitsPerComponent 8 /Filter /FlateDecode /Length ${image.length} >>\nstream\n`,
      image,
      "\nendstream",
    ],
  ]);
}

/** A PDF file of some objects, numbered from 1. */
function pdfFile(objects: (string | Uint8Array)[][]): Blob {
  const parts: (string | Uint8Array)[] = ["%PDF-1.4\n"];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0); // all texts are ASCII
  const begins = objects.map((object, index) => {
    const begin = length();
    parts.push(`${index + 1} 0 obj\n`, ...object, "\nendobj\n");
    return begin;
  });
  const entries = begins.map((begin) => `${String(begin).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length()}\n%%EOF\n`;
  return new Blob([...parts, end] as BlobPart[], { type: "application/pdf" });
}

/** The picture at a scale, or less if that is too large, and its own size. */
async function drawn(picture: string, most: number): Promise<{ canvas: HTMLCanvasElement; width: number; height: number }> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
  try {
    image.src = url;
    await image.decode();
    const { width, height } = image;
    const scale = Math.min(most, Math.sqrt(MOST_PIXELS / (width * height)));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(scale * width);
    canvas.height = Math.round(scale * height);
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return { canvas, width, height };
  } finally {
    URL.revokeObjectURL(url);
  }
}
