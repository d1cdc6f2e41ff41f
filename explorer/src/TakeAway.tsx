// The chosen tree as a file: drawn by the page, or written by the engine.
import { useState } from "preact/hooks";
import type { Ask, Filters, Partial } from "./messages";
import { pdfOf, pictureOf, pngOf } from "./picture";

interface Properties {
  ask: Ask;
  filters: Filters;
  tree: Partial;
  root: () => HTMLElement | null;
  hasEngine: boolean;
}

const FORMATS: [string, string][] = [
  ["svg", "SVG picture"],
  ["png", "PNG picture"],
  ["pdf", "PDF picture"],
  ["report", "Report for an auditor"],
  ["python", "Python function"],
  ["sql", "SQL expression"],
  ["json", "JSON model"],
  ["sklearn", "scikit-learn tree"],
  ["rules", "Rules in words"],
  ["text", "Text"],
  ["latex", "LaTeX"],
];

const NEEDS_PYTHON = ["sklearn", "latex"];
const PICTURE = "<!--picture-->"; // where a report of a page without a server has its picture

export function TakeAway({ ask, filters, tree, root, hasEngine }: Properties) {
  const [said, setSaid] = useState("");
  const written = async (format: string): Promise<[Blob, string]> => {
    if (format === "svg") return [new Blob([pictureOf(root()!)], { type: "image/svg+xml" }), "tree.svg"];
    if (format === "png") return [await pngOf(pictureOf(root()!)), "tree.png"];
    if (format === "pdf" && !hasEngine) return [await pdfOf(pictureOf(root()!, "light")), "tree.pdf"];
    const file = await ask("take_away", { tree, filters, format });
    const text = file.text?.replace(PICTURE, () => pictureOf(root()!, "light"));
    return [new Blob([text ?? bytesOf(file.base64!)], { type: file.type }), file.name];
  };
  const take = async (format: string) => {
    setSaid(format === "report" ? "Looking for the alternatives…" : "");
    try {
      const [file, name] = await written(format);
      save(file, name);
      setSaid(`${name} was saved.`);
    } catch (error) {
      setSaid((error as Error).message);
    }
  };
  return (
    <section aria-label="Take away">
      <p class="hb-hint">Save the tree that is shown.</p>
      <div class="hb-formats">
        {FORMATS.filter(([format]) => hasEngine || !NEEDS_PYTHON.includes(format)).map(([format, name]) => (
          <button type="button" key={format} data-format={format} onClick={() => take(format)}>{name}</button>
        ))}
      </div>
      {!hasEngine && (
        <p class="hb-hint">
          A scikit-learn tree and LaTeX need Python, which this page does not have. Save the JSON model, and with hornbeam
          installed:
          <code class="hb-code">
            {"from hornbeam import Tree\n"}
            {'tree = Tree.from_json(open("tree.json", encoding="utf-8").read())\n'}
            {"tree.to_sklearn()  # or tree.to_latex()"}
          </code>
        </p>
      )}
      <p role="status">{said}</p>
    </section>
  );
}

function bytesOf(base64: string): BlobPart {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
