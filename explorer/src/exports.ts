// Files with a tree in a page without a server. The texts of conditions and classes are in the page; what is made of them
// equals what src/hornbeam/export and src/hornbeam/explorer/report.py write.
import type { About, Condition, Filters, Partial, TreeNode } from "./messages";
import { countFixed } from "./partial";
import { exact } from "./words";

type Text = string | { error: string };

/** What src/hornbeam/explorer/sources.py writes. */
export interface Sources {
  columns: { name: string; has_missing: boolean; date: [string[], string] | null }[];
  conditions: { kind: string; json: string; python: string; sql: Text; values: [number, string][] }[];
  outputs: { label: string; python: string; sql: Text }[];
  python: [string, string]; // around what is said of dates
  json: string; // everything before the nodes
  report: string;
  penalty: number; // of a leaf
  without: string; // a table without rows
  without_rows: Record<string, string>; // of each column that may be tested
}

/** A tree with what the files say of it. */
export interface Chosen {
  root: TreeNode;
  objective: number;
  filters: Filters;
  fixed: Partial;
}

const MOST_LEVELS = 99; // of indentation, in CPython

export class Exports {
  constructor(private readonly about: About, private readonly sources: Sources) {}

  /** A file, as the engine would answer. */
  take(format: string, chosen: Chosen): { name: string; type: string; text: string } {
    const { root } = chosen;
    const unequal = hasUnequalWeights(root);
    const said = (node: TreeNode, noun: string) =>
      `${whole(node.weights[node.prediction] / sum(node.weights))} of ${unequal ? "the weight of " : ""}${count(node.rows, noun)}`;
    switch (format) {
      case "python":
        return { name: "tree.py", type: "text/x-python", text: this.python(root, said) };
      case "sql":
        return { name: "tree.sql", type: "application/sql", text: this.sql(root).join("\n") };
      case "json":
        return { name: "tree.json", type: "application/json", text: this.json(root) };
      case "text":
        return { name: "tree.txt", type: "text/plain", text: this.text(root, said).join("\n") };
      case "rules":
        return { name: "rules.txt", type: "text/plain", text: this.rules(root, said).join("\n") };
      case "report":
        return { name: "report.html", type: "text/html", text: this.report(chosen, said) };
      default:
        throw new Error("This page cannot write that file.");
    }
  }

  private python(root: TreeNode, said: Said): string {
    const write = (node: TreeNode): string => {
      if (node.split === undefined) return `return ${this.sources.outputs[node.prediction].python}  # ${said(node, "training row")}\n`;
      const no = write(node.false!);
      const otherwise = no.startsWith("if ") ? `el${no}` : `else:\n${indented(no)}`;
      return `if ${this.sources.conditions[node.split].python}:\n${indented(write(node.true!))}${otherwise}`;
    };
    const body = indented(write(root));
    const levels = Math.max(...body.split("\n").map((line) => (line.length - line.trimStart().length) / 4));
    if (levels > MOST_LEVELS) throw new Error(`The tree needs ${levels} levels of indentation; Python allows ${MOST_LEVELS}.`);
    const [before, after] = this.sources.python;
    return before + this.aboutDates(root) + after + body;
  }

  private aboutDates(root: TreeNode): string {
    const compared = testedColumns(this.about, root, (split) => this.sources.conditions[split].kind === "at_most");
    const dates = compared.flatMap((column) => (this.sources.columns[column].date ? [this.sources.columns[column].date!] : []));
    const imported = [...new Set(dates.flatMap(([names]) => names))].sort();
    const lines = imported.length ? [`from datetime import ${imported.join(", ")}`, ""] : [];
    return [...lines, ...dates.map(([, comment]) => comment)].map((line) => `\n${line && "    "}${line}`).join("");
  }

  private sql(node: TreeNode): string[] {
    if (node.split === undefined) return [written(this.sources.outputs[node.prediction].sql)];
    const [yes, no] = [this.sql(node.true!), this.sql(node.false!)];
    const branches = [`THEN ${yes[0]}`, ...yes.slice(1), `ELSE ${no[0]}`, ...no.slice(1)];
    return [`CASE WHEN ${written(this.sources.conditions[node.split].sql)}`, ...branches.map((line) => `  ${line}`), "END"];
  }

  private json(root: TreeNode): string {
    const records: string[] = [];
    const write = (node: TreeNode): number => {
      const number = records.push("") - 1;
      let links = "";
      if (node.split !== undefined) {
        const [left, right] = [write(node.true!), write(node.false!)];
        links = `"condition": ${this.sources.conditions[node.split].json}, "left": ${left}, "right": ${right}, `;
      }
      const weights = node.weights.map(pythonFloat).join(", ");
      records[number] = `{${links}"prediction": ${node.prediction}, "n_samples": ${node.rows}, "class_weights": [${weights}]}`;
      return number;
    };
    write(root);
    return `${this.sources.json}${records.join(",\n")}\n]}\n`;
  }

  private text(node: TreeNode, said: Said): string[] {
    if (node.split === undefined) return [`predict ${this.sources.outputs[node.prediction].label} (${said(node, "row")})`];
    const [yes, no] = [this.text(node.true!, said), this.text(node.false!, said)];
    return [
      `${oneLine(this.about.conditions[node.split].text)}?`,
      `├── yes: ${yes[0]}`,
      ...yes.slice(1).map((line) => `│   ${line}`),
      `└── no: ${no[0]}`,
      ...no.slice(1).map((line) => `    ${line}`),
    ];
  }

  private rules(node: TreeNode, said: Said, path: Answer[] = []): string[] {
    if (node.split === undefined) {
      const outcome = `predict ${this.sources.outputs[node.prediction].label} (${said(node, "training row")}).`;
      return [path.length ? `If ${this.premise(path)}, ${outcome}` : `Always ${outcome}`];
    }
    const { split } = node;
    return [...this.rules(node.true!, said, [...path, { split, holds: true }]), ...this.rules(node.false!, said, [...path, { split, holds: false }])];
  }

  private premise(path: Answer[]): string {
    const columns = [...new Set(path.map(({ split }) => this.about.conditions[split].column))];
    return columns.map((column) => oneLine(this.aboutColumn(column, path))).join(" and ");
  }

  /** All conditions of a path on one column, in words. */
  private aboutColumn(column: number, path: Answer[]): string {
    const of = path.filter(({ split }) => this.about.conditions[split].column === column);
    const held = of.filter(({ holds }) => holds).map(({ split }) => split);
    const failed = of.filter(({ holds }) => !holds).map(({ split }) => split);
    const isMissing = (split: number) => this.sources.conditions[split].kind === "is_missing";
    const { name, has_missing } = this.sources.columns[column];
    if (held.some(isMissing)) return `${name} is missing`;
    const compared = [this.interval(held, failed), this.one(held, failed), this.categories(name, held, failed)].filter(Boolean).join(" and ");
    if (!compared) return `${name} is not missing`;
    return held.length > 0 || failed.some(isMissing) || !has_missing ? compared : `(${compared} or missing)`;
  }

  private interval(held: number[], failed: number[]): string {
    const compared = (splits: number[]) => splits.map((split) => this.about.conditions[split]).filter((one) => one.threshold !== undefined);
    const first = (all: Condition[], isBetter: (a: number, b: number) => boolean) =>
      all.reduce<Condition | null>((best, one) => (!best || isBetter(one.threshold!, best.threshold!) ? one : best), null);
    const upper = first(compared(held), (a, b) => a < b);
    const lower = first(compared(failed), (a, b) => a > b);
    if (!upper) return lower ? lower.opposite : "";
    return lower ? `${lower.value} < ${upper.text}` : upper.text;
  }

  private one(held: number[], failed: number[]): string {
    const isOne = (split: number) => ["is_one", "is_true"].includes(this.sources.conditions[split].kind);
    const [yes, no] = [held.find(isOne), failed.find(isOne)];
    if (yes !== undefined) return this.about.conditions[yes].text;
    return no === undefined ? "" : this.about.conditions[no].opposite;
  }

  private categories(name: string, held: number[], failed: number[]): string {
    const valuesOf = (splits: number[]) => splits.map((split) => this.sources.conditions[split].values).filter((values) => values.length);
    const excluded = new Map<number, string>();
    for (const [number, text] of valuesOf(failed).flat()) if (!excluded.has(number)) excluded.set(number, text);
    const wanted = valuesOf(held);
    if (!wanted.length) return excluded.size ? `${name} not in {${[...excluded.values()].join(", ")}}` : "";
    const left = wanted[0].filter(([number]) => !excluded.has(number) && wanted.every((values) => values.some(([other]) => other === number)));
    return `${name} in {${left.map(([, text]) => text).join(", ")}}`;
  }

  /** The report on the tree, still with a comment where its picture belongs. */
  private report({ root, objective, filters, fixed }: Chosen, said: Said): string {
    const { about, sources } = this;
    const tested = testedColumns(about, root);
    const leaves = leavesOf(root);
    const penalties = sources.penalty * leaves.length;
    const right = sum(leaves.map((leaf) => leaf.weights[leaf.prediction])) / sum(root.weights);
    const worse = about.best ? `+${rounded((100 * (objective - about.best)) / about.best, 2)} %` : `+${rounded(objective - about.best, 6)}`;
    const rows = tested.map((column) => sources.without_rows[column]).join("");
    const slots: Record<string, string> = {
      rules: this.rules(root, said).map((rule) => `<li>${escaped(rule)}</li>`).join(""),
      tested: tested.map((column) => escaped(about.columns[column].name)).join(", ") || "none",
      training: `${rounded(100 * right, 1)} %`,
      test: "",
      objective: rounded(objective, 6),
      loss: rounded(objective - penalties, 6),
      leaves: leaves.length === 1 ? "1 leaf" : `${exact(String(leaves.length))} leaves`,
      worse: objective <= about.best ? "This tree has it." : `This tree is ${worse} above it.`,
      without: rows && sources.without.replace("</table>", () => `${rows}</table>`),
      choices: choicesInWords(about, filters, fixed).map(escaped).join("; ") || "none: the best tree of the set",
    };
    return sources.report.replace(/<!--([a-z]+)-->/g, (slot, name) => slots[name] ?? slot);
  }
}

type Said = (node: TreeNode, noun: string) => string;
type Answer = { split: number; holds: boolean };

function choicesInWords(about: About, filters: Filters, fixed: Partial): string[] {
  const names = (columns: number[] = []) => [...columns].sort((a, b) => a - b).map((column) => about.columns[column].name);
  const nodes = countFixed(fixed);
  return [
    ...names(filters.never).map((name) => `never tests ${name}`),
    ...names(filters.always).map((name) => `always tests ${name}`),
    filters.max_leaves !== undefined && `at most ${filters.max_leaves} leaves`,
    filters.max_depth !== undefined && `depth at most ${filters.max_depth}`,
    (filters.min_rows ?? 1) > 1 && `at least ${exact(String(filters.min_rows))} rows in each leaf`,
    filters.max_objective !== undefined && `objective at most ${rounded(filters.max_objective, 6)}`,
    nodes > 0 && `${nodes} ${nodes === 1 ? "node" : "nodes"} fixed by hand`,
  ].filter((text) => text !== false);
}

function testedColumns(about: About, root: TreeNode, isWanted: (split: number) => boolean = () => true): number[] {
  const columns = new Set<number>();
  const visit = (node: TreeNode) => {
    if (node.split === undefined) return;
    if (isWanted(node.split)) columns.add(about.conditions[node.split].column);
    visit(node.true!);
    visit(node.false!);
  };
  visit(root);
  return [...columns].sort((a, b) => a - b);
}

export function leavesOf(node: TreeNode): TreeNode[] {
  return node.split === undefined ? [node] : [...leavesOf(node.true!), ...leavesOf(node.false!)];
}

function written(text: Text): string {
  if (typeof text !== "string") throw new Error(text.error);
  return text;
}

function indented(text: string): string {
  return text.split("\n").map((line) => line && `    ${line}`).join("\n");
}

function sum(numbers: number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

function count(number: number, noun: string): string {
  return `${exact(String(number))} ${noun}${number === 1 ? "" : "s"}`;
}

/** Whether shares of weight differ from shares of rows in some node, within the tolerance of numpy.allclose. */
function hasUnequalWeights(root: TreeNode): boolean {
  const [weight, rows] = [sum(root.weights), root.rows];
  const differs = (node: TreeNode): boolean => {
    const share = node.rows / rows;
    if (Math.abs(sum(node.weights) / weight - share) > 1e-8 + 1e-5 * share) return true;
    return node.split !== undefined && (differs(node.true!) || differs(node.false!));
  };
  return differs(root);
}

/** A share in whole percent; 0 % and 100 % only where exactly that is meant. */
function whole(share: number): string {
  if (share > 0 && share < 0.005) return "<1 %";
  if (share >= 0.995 && share < 1) return ">99 %";
  return `${rounded(100 * share, 0)} %`;
}

/** A number with some decimals as Python writes it: exactly between two of them, the even one. */
export function rounded(value: number, decimals: number): string {
  const isBetween = Math.abs((value * 2 ** (decimals + 1)) % 2) === 1;
  const shift = 10 ** decimals;
  const down = Math.floor(Math.abs(value) * shift);
  if (isBetween && down % 2 === 0) return ((Math.sign(value) * down) / shift).toFixed(decimals);
  return value.toFixed(decimals);
}

/** A floating-point number as Python writes it. */
export function pythonFloat(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** As html.escape of Python. */
function escaped(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
  return text.replace(/[&<>"']/g, (letter) => names[letter]);
}

/** The text in one line, and with halves of letters that no file can hold as escapes. */
function oneLine(text: string): string {
  const whole = text.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
  return whole.replace(/(\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])$/, "").replace(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g, " ");
}
