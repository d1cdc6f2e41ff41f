// The tree that is shown as a picture of its own: the styles of the page are written into it.
const STYLES = ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight", "opacity"];

export function pictureOf(root: HTMLElement): string {
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
  const image = new Image();
  const url = URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
  try {
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large."))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
