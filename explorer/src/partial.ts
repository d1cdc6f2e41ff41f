// Partial trees: which nodes of the tree that is shown are fixed.
import type { Partial, TreeNode } from "./messages";

/** The same tree with another node at a place ("T" and "F" from the root); all nodes above it are splits. */
export function replaced(tree: Partial, place: string, node: Partial): Partial {
  if (place === "") return node;
  if (tree === null || "leaf" in tree) throw new Error("no such node");
  return place[0] === "T"
    ? { ...tree, true: replaced(tree.true, place.slice(1), node) }
    : { ...tree, false: replaced(tree.false, place.slice(1), node) };
}

/** The fixed nodes, and those of the shown tree above a place, so that the node there can be chosen; it is open. */
export function openedAt(shown: TreeNode, fixed: Partial, place: string): Partial {
  if (place === "") return null;
  const of = fixed !== null && "split" in fixed ? fixed : null;
  const rest = place.slice(1);
  return place[0] === "T"
    ? { split: shown.split!, true: openedAt(shown.true!, of?.true ?? null, rest), false: of?.false ?? null }
    : { split: shown.split!, true: of?.true ?? null, false: openedAt(shown.false!, of?.false ?? null, rest) };
}

/** The shown tree with all of its nodes fixed. */
export function allFixed(shown: TreeNode): Partial {
  if (shown.split === undefined) return { leaf: shown.prediction };
  return { split: shown.split, true: allFixed(shown.true!), false: allFixed(shown.false!) };
}

export function nodeAt(tree: TreeNode, place: string): TreeNode | undefined {
  let node: TreeNode | undefined = tree;
  for (const letter of place) node = letter === "T" ? node?.true : node?.false;
  return node;
}

export function countFixed(tree: Partial): number {
  if (tree === null) return 0;
  return "leaf" in tree ? 1 : 1 + countFixed(tree.true) + countFixed(tree.false);
}
