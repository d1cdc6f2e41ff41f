// Where the nodes of a tree are drawn: leaves side by side, each split above the middle of its two sides.
import type { TreeNode } from "./messages";

export const WIDTH = 148;
export const HEIGHT = 92;
const GAP = 22;
const LEVEL = HEIGHT + 62;

export interface Placed {
  place: string;
  node: TreeNode;
  x: number; // of the middle
  y: number; // of the top
}

export interface Layout {
  nodes: Placed[];
  width: number;
  height: number;
}

export function layOut(tree: TreeNode): Layout {
  const nodes: Placed[] = [];
  let nLeaves = 0;
  let depth = 0;
  function visit(node: TreeNode, place: string): number {
    depth = Math.max(depth, place.length);
    const at: Placed = { place, node, x: 0, y: place.length * LEVEL };
    nodes.push(at);
    if (node.split === undefined) at.x = (nLeaves++ + 0.5) * (WIDTH + GAP);
    else at.x = (visit(node.true!, place + "T") + visit(node.false!, place + "F")) / 2;
    return at.x;
  }
  visit(tree, "");
  return { nodes, width: nLeaves * (WIDTH + GAP), height: depth * LEVEL + HEIGHT };
}
