// What the page around the explorer looks like: a notebook has a theme of its own, and may be narrower than its window.
import { useEffect, useState } from "preact/hooks";

type Theme = "light" | "dark";
const NARROW = 800; // pixels, below which the panel is below the tree

/** The theme of the notebook; null: that of the browser. */
export function themeOf(html: HTMLElement, body: HTMLElement): Theme | null {
  const { jpThemeLight, vscodeThemeKind } = body.dataset;
  if (jpThemeLight !== undefined) return jpThemeLight === "true" ? "light" : "dark"; // JupyterLab
  if (vscodeThemeKind !== undefined) return /light/.test(vscodeThemeKind) ? "light" : "dark"; // Visual Studio Code
  const colab = html.getAttribute("theme");
  if (colab === "dark" || colab === "light") return colab;
  for (const theme of ["dark", "light"] as const) if (body.classList.contains(theme)) return theme; // marimo
  return null;
}

export function useHostTheme(): Theme | null {
  const { documentElement: html, body } = document;
  const [theme, setTheme] = useState(() => themeOf(html, body));
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(themeOf(html, body)));
    for (const element of [html, body]) observer.observe(element, { attributes: true });
    return () => observer.disconnect();
  }, []);
  return theme;
}

/** Whether an element is narrow. */
export function useNarrow(element: { current: HTMLElement | null }): boolean {
  const [isNarrow, setNarrow] = useState(false);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setNarrow(entry.contentRect.width <= NARROW));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return isNarrow;
}
