// What the page asks and what the engine answers; src/hornbeam/explorer/engine.py has the other side. Numbers of trees
// are text, since they may be larger than the exact numbers of JavaScript.

/** A tree of which only some nodes are fixed; null is an open node. */
export type Partial =
  | null
  | { leaf: number }
  | { split: number; true: Partial; false: Partial };

export interface Filters {
  never?: number[];
  always?: number[];
  max_leaves?: number;
  max_depth?: number;
  min_rows?: number;
  max_objective?: number;
}

export interface Condition {
  column: number;
  text: string;
  opposite: string;
  threshold?: number;
  value?: string;
  values?: string[]; // that meet the condition, if it is one of being among some
}

export interface About {
  name: string;
  target: string;
  columns: { name: string; kind: string }[];
  classes: string[];
  conditions: Condition[];
  rows: number;
  test_rows: number;
  objective: string;
  regularization: number;
  max_depth: number | null;
  min_rows: number;
  n_trees: string;
  n_set: string; // trees of the set, of which only the best may be here
  score: string; // what the accuracy of a tree is measured by
  lacks: { leaving?: string; reliance?: string }; // why this set does not have them
  best: number;
  bound: number;
  searched_up_to: number;
  status: string;
  gap: number;
  most_leaves: number;
  is_listed: boolean; // the page has the trees and no engine
}

/** How far the search for the trees is; the last three are unknown before it has a tree. */
export interface Searching {
  name: string;
  rows: number;
  seconds: number;
  is_stopping: boolean;
  best?: number;
  leaves?: number;
  bound?: number;
}

export interface TreeNode {
  rows: number;
  weights: number[];
  prediction: number;
  fixed: boolean;
  split?: number;
  true?: TreeNode;
  false?: TreeNode;
}

export interface Look {
  n_trees: string;
  objective: number;
  leaves: number;
  depth: number;
  tree: TreeNode | null;
  train: number | null;
  test: number | null;
}

export interface Option {
  leaf?: number;
  split?: number;
  n_trees: string;
  objective: number;
}

export interface Overview {
  edges: number[];
  cells: { leaves: number; bin: number; n_trees: string }[];
  frontier: { leaves: number; objective: number }[];
}

export interface Importance {
  n_trees: string; // that were measured
  is_exact: boolean; // these are all trees
  columns: { column: number; least: number | null; mean: number | null; best: number | null; most: number | null; share: number }[];
}

export type Value = string | number | boolean | null;

export interface Disputed {
  n_trees: string; // that have voted
  is_exact: boolean; // these are all trees
  is_training: boolean; // the rows are those of the training
  n_rows: number;
  n_disputed: number;
  rows: { row: number; votes: number[]; values: Value[] }[];
}

export interface RowsAt {
  total: number;
  wrong: number;
  rows: { row: number; values: Value[]; actual: number; predicted: number }[];
}

export interface Compared {
  total: number;
  first_right: number;
  second_right: number;
  rows: { row: number; actual: number; first: number; second: number; values: Value[] }[];
}

export interface Answers {
  about: About | { searching: Searching };
  stop_search: { searching: Searching };
  look: Look;
  options: { options: Option[] };
  scores: { scores: { leaf?: number; split?: number; test: number | null }[] };
  compare: Compared;
  overview: Overview;
  importance: Importance;
  disputed: Disputed;
  count: { n_trees: string; objective: number | null };
  leaving: { least: number | null; most: number | null };
  rows: RowsAt;
  follow: { place: string; values: Value[] };
  take_away: { name: string; type: string; text?: string; base64?: string };
}

/** What a host gives the page: the part of anywidget's model that it uses. */
export interface Model {
  send(message: unknown): void;
  on(event: "msg:custom", listener: (message: any) => void): void;
  off(event: "msg:custom", listener: (message: any) => void): void;
}

export type Ask = <M extends keyof Answers>(
  method: M,
  parameters?: Record<string, unknown>,
  signal?: AbortSignal,
) => Promise<Answers[M]>;

/** Turns the messages of a model into questions with answers. */
export function asking(model: Model): { ask: Ask; close: () => void } {
  const waiting = new Map<string, { resolve: (answer: any) => void; reject: (error: Error) => void }>();
  const page = Math.random().toString(36).slice(2); // several pages may share one model
  let last = 0;
  const listener = (message: any) => {
    const one = waiting.get(message?.id);
    if (!one) return;
    waiting.delete(message.id);
    if ("error" in message) one.reject(new Error(message.error));
    else one.resolve(message.answer);
  };
  model.on("msg:custom", listener);
  const ask: Ask = (method, parameters = {}, signal) =>
    new Promise((resolve, reject) => {
      const id = `${page}-${++last}`;
      waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!waiting.delete(id)) return;
        model.send({ id, stop: true });
        reject(new DOMException("stopped", "AbortError"));
      });
      model.send({ id, method, ...parameters });
    });
  return { ask, close: () => model.off("msg:custom", listener) };
}
