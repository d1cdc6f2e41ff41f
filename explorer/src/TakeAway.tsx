// The chosen tree as a file: drawn by the page, or written by the engine.
import { useState } from "preact/hooks";
import type { Ask, Filters, Partial } from "./messages";
import { pictureOf, pngOf } from "./picture";

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

export function TakeAway({ ask, filters, tree, root, hasEngine }: Properties) {
  const [said, setSaid] = useState("");
  const take = async (format: string) => {
    setSaid(format === "report" ? "Looking for the alternatives…" : "");
    try {
      if (format === "svg" || format === "png") {
        const text = pictureOf(root()!);
        const file = format === "svg" ? new Blob([text], { type: "image/svg+xml" }) : await pngOf(text);
        save(file, `tree.${format}`);
        setSaid(`tree.${format} was saved.`);
        return;
      }
      const file = await ask("take_away", { tree, filters, format });
      save(new Blob([file.text ?? bytesOf(file.base64!)], { type: file.type }), file.name);
      setSaid(`${file.name} was saved.`);
    } catch (error) {
      setSaid((error as Error).message);
    }
  };
  return (
    <section aria-label="Take away">
      <p class="hb-hint">Save the tree that is shown.</p>
      <div class="hb-formats">
        {FORMATS.filter(([format]) => hasEngine || format === "svg" || format === "png").map(([format, name]) => (
          <button type="button" key={format} data-format={format} onClick={() => take(format)}>{name}</button>
        ))}
      </div>
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
