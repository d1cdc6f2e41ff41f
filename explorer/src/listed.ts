// The engine of a page without a server: all trees of a small set are in the page, and every question goes through them.
import { CarriedSum } from "./carriedSum";
import { Exports, leavesOf, type Sources } from "./exports";
import type { About, Disputed, Filters, Importance, Look, Option, Overview, Partial, TreeNode, Value } from "./messages";

/** A tree: the class of a leaf, or a condition, its two sides, and the class that the node would have as a leaf. */
type Listed = number | [number, Listed, Listed, number];

/** What src/hornbeam/explorer/listing.py writes. */
export interface Listing {
  about: About;
  trees: { tree: Listed; objective: number; leaves: number; depth: number }[];
  columns: string[]; // for each condition, the rows where it holds as bits in base 64
  codes: number[]; // the class of each row
  weights: number[];
  importance: Importance;
  sources: Sources;
}

interface Tree {
  tree: Listed;
  objective: number;
  leaves: number;
  depth: number;
  uses: Set<number>;
  least: number; // rows of the smallest leaf
}

const LATER = "This page has no engine for that: open the set with hornbeam explore.";

export class ListedEngine {
  private readonly holds: Uint8Array[];
  private readonly trees: Tree[];
  private readonly exports: Exports;

  constructor(private readonly listing: Listing) {
    this.holds = listing.columns.map((text) => unpacked(text, listing.codes.length));
    this.exports = new Exports(listing.about, listing.sources);
    const all = this.rows();
    this.trees = listing.trees.map((one) => ({
      ...one,
      uses: new Set(this.conditionsOf(one.tree).map((split) => listing.about.conditions[split].column)),
      least: this.leastRows(one.tree, all),
    }));
  }

  answer(message: any): unknown {
    const tree: Partial = message.tree ?? null;
    const filters: Filters = message.filters ?? {};
    const found = () => this.trees.filter((one) => isWithin(one, filters) && has(one.tree, tree));
    switch (message.method) {
      case "about":
        return this.listing.about;
      case "look":
        return this.look(found(), tree);
      case "options":
        return { options: optionsOf(found(), message.place) };
      case "count": {
        const trees = found();
        return { n_trees: String(trees.length), objective: trees.length ? trees[0].objective : null };
      }
      case "overview":
        return overviewOf(found());
      case "importance":
        return this.listing.importance;
      case "disputed":
        return { n_trees: "0", is_exact: false, is_training: true, n_rows: 0, n_disputed: 0, rows: [] } satisfies Disputed;
      case "rows":
        return { total: 0, wrong: 0, rows: [] };
      case "follow":
        return this.follow(found()[0].tree, message.values);
      case "take_away": {
        const [best] = found();
        if (!best) throw new Error("no tree of the set has all of these splits.");
        const root = this.nodeOf(best.tree, tree, this.rows());
        return this.exports.take(message.format, { root, objective: best.objective, filters, fixed: tree });
      }
      default:
        throw new Error(LATER);
    }
  }

  private look(found: Tree[], fixed: Partial): Look | { n_trees: string; tree: null } {
    if (!found.length) return { n_trees: "0", tree: null };
    const [best] = found; // trees are in the order of their objectives
    const node = this.nodeOf(best.tree, fixed, this.rows());
    return {
      n_trees: String(found.length),
      objective: best.objective,
      leaves: best.leaves,
      depth: best.depth,
      tree: node,
      train: scoreOf(this.listing.about, node),
      test: null,
    };
  }

  private rows(): number[] {
    return this.listing.codes.map((_, row) => row);
  }

  private nodeOf(tree: Listed, fixed: Partial, rows: number[]): TreeNode {
    return this.summed(tree, fixed, rows).node;
  }

  /** A node with the sums of its weights by class, to which its parent adds. */
  private summed(tree: Listed, fixed: Partial, rows: number[]): { node: TreeNode; sums: CarriedSum[] } {
    const sums = this.listing.about.classes.map(() => new CarriedSum());
    const weights = () => sums.map((sum) => sum.value());
    const common = { rows: rows.length, fixed: fixed !== null };
    if (typeof tree === "number") {
      for (const row of rows) sums[this.listing.codes[row]].add(this.listing.weights[row]);
      return { node: { ...common, weights: weights(), prediction: tree }, sums };
    }
    const [split, yes, no, prediction] = tree;
    const below = fixed !== null && "split" in fixed ? fixed : null;
    const holds = this.holds[split];
    const sides = [
      this.summed(yes, below?.true ?? null, rows.filter((row) => holds[row])),
      this.summed(no, below?.false ?? null, rows.filter((row) => !holds[row])),
    ];
    for (const side of sides) sums.forEach((sum, index) => sum.addSum(side.sums[index]));
    return { node: { ...common, weights: weights(), prediction, split, true: sides[0].node, false: sides[1].node }, sums };
  }

  private follow(tree: Listed, values: Value[]): { place: string; values: Value[] } {
    let place = "";
    while (typeof tree !== "number") {
      const isTrue = meets(this.listing.about, tree[0], values);
      place += isTrue ? "T" : "F";
      tree = isTrue ? tree[1] : tree[2];
    }
    return { place, values };
  }

  private conditionsOf(tree: Listed): number[] {
    return typeof tree === "number" ? [] : [tree[0], ...this.conditionsOf(tree[1]), ...this.conditionsOf(tree[2])];
  }

  private leastRows(tree: Listed, rows: number[]): number {
    if (typeof tree === "number") return rows.length;
    const holds = this.holds[tree[0]];
    const yes = this.leastRows(tree[1], rows.filter((row) => holds[row]));
    return Math.min(yes, this.leastRows(tree[2], rows.filter((row) => !holds[row])));
  }
}

function unpacked(text: string, length: number): Uint8Array {
  const bytes = atob(text);
  return Uint8Array.from({ length }, (_, row) => (bytes.charCodeAt(row >> 3) >> (row & 7)) & 1);
}

function has(tree: Listed, fixed: Partial): boolean {
  if (fixed === null) return true;
  if ("leaf" in fixed) return tree === fixed.leaf;
  return typeof tree !== "number" && tree[0] === fixed.split && has(tree[1], fixed.true) && has(tree[2], fixed.false);
}

function isWithin(tree: Tree, filters: Filters): boolean {
  return (
    tree.leaves <= (filters.max_leaves ?? Infinity) &&
    tree.depth <= (filters.max_depth ?? Infinity) &&
    tree.least >= (filters.min_rows ?? 0) &&
    tree.objective <= (filters.max_objective ?? Infinity) + 1e-12 &&
    !filters.never?.some((column) => tree.uses.has(column)) &&
    (filters.always?.every((column) => tree.uses.has(column)) ?? true)
  );
}

function optionsOf(found: Tree[], place: string): Option[] {
  const options = new Map<string, { option: Option; count: number }>();
  for (const { tree, objective } of found) {
    let node = tree;
    for (const letter of place) node = (node as Exclude<Listed, number>)[letter === "T" ? 1 : 2];
    const what = typeof node === "number" ? { leaf: node } : { split: node[0] };
    const key = JSON.stringify(what);
    const one = options.get(key);
    if (one) one.count += 1;
    else options.set(key, { option: { ...what, n_trees: "", objective }, count: 1 });
  }
  return [...options.values()].map(({ option, count }) => ({ ...option, n_trees: String(count) }));
}

const BINS = 14;

function overviewOf(found: Tree[]): Overview {
  if (!found.length) return { edges: [], cells: [], frontier: [] };
  const low = found[0].objective;
  const high = found[found.length - 1].objective;
  const bins = Math.min(BINS, new Set(found.map((one) => one.objective)).size);
  const width = (high - low) / bins || 1;
  const cells = new Map<string, number>();
  const best = new Map<number, number>();
  for (const { leaves, objective } of found) {
    const key = `${leaves} ${Math.min(Math.floor((objective - low) / width), bins - 1)}`;
    cells.set(key, (cells.get(key) ?? 0) + 1);
    if (!best.has(leaves)) best.set(leaves, objective);
  }
  return {
    edges: [...Array.from({ length: bins }, (_, bin) => low + width * bin), high],
    cells: [...cells].map(([key, count]) => {
      const [leaves, bin] = key.split(" ").map(Number);
      return { leaves, bin, n_trees: String(count) };
    }),
    frontier: [...best].sort(([a], [b]) => a - b).map(([leaves, objective]) => ({ leaves, objective })),
  };
}

/** The score of a tree on its training rows; src/hornbeam/explorer/scores.py has the same. */
function scoreOf(about: About, root: TreeNode): number | null {
  const leaves = leavesOf(root);
  const total = (part: (leaf: TreeNode) => number) => leaves.reduce((sum, leaf) => sum + part(leaf), 0);
  if (about.score === "F-score") {
    const right = 2 * total((leaf) => (leaf.prediction === 1 ? leaf.weights[1] : 0));
    const whole = right + total((leaf) => leaf.weights[1 - leaf.prediction]);
    return whole ? right / whole : null;
  }
  if (about.score === "area under the curve") {
    const [negatives, positives] = root.weights;
    const share = (leaf: TreeNode) => leaf.weights[1] / (leaf.weights[0] + leaf.weights[1]);
    const above = (leaf: TreeNode) => total((other) => (share(other) > share(leaf) ? 1 : share(other) === share(leaf) ? 0.5 : 0) * other.weights[1]);
    return negatives && positives ? total((leaf) => leaf.weights[0] * above(leaf)) / (negatives * positives) : null;
  }
  return total((leaf) => leaf.weights[leaf.prediction]) / root.weights.reduce((a, b) => a + b, 0);
}

/** Whether values meet a condition; a missing value only that of being missing. */
function meets(about: About, split: number, values: Value[]): boolean {
  const condition = about.conditions[split];
  const value = values[condition.column];
  if (condition.values === undefined && condition.threshold === undefined) return value === null;
  if (value === null) return false;
  if (condition.threshold !== undefined) {
    const { kind, name } = about.columns[condition.column];
    if (typeof value !== "number") throw new Error(kind === "number" ? `expected a number for column ${name}` : LATER);
    return value <= condition.threshold;
  }
  return condition.values!.includes(String(value));
}
