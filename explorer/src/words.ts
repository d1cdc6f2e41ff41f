// Numbers and conditions in words.
import type { About, Condition } from "./messages";

const WORDS: [bigint, string][] = [
  [10n ** 15n, "quadrillion"],
  [10n ** 12n, "trillion"],
  [10n ** 9n, "billion"],
  [10n ** 6n, "million"],
];

export function exact(count: string): string {
  return count.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** 1,204 or 3.1 billion or 4.2 × 10^20. */
export function brief(count: string): string {
  const number = BigInt(count);
  if (number < 10n ** 6n) return exact(count);
  if (number >= 10n ** 18n) return `${count[0]}.${count[1]} × 10^${count.length - 1}`;
  const [unit, word] = WORDS.find(([size]) => number >= size)!;
  const tenths = (number * 10n) / unit;
  return tenths >= 1000n ? `${tenths / 10n} ${word}` : `${tenths / 10n}.${tenths % 10n} ${word}`;
}

export function trees(count: string): string {
  return `${brief(count)} ${count === "1" ? "tree" : "trees"}`;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** How good a tree is, in the measure of its set. */
export function score(value: number | null, about: About): string {
  if (value === null) return "not known";
  return about.score === "accuracy" ? percent(value) : value.toFixed(3);
}

/** How much worse an objective is than the best one: "best" or "+0.4 %". */
export function above(objective: number, best: number): string {
  if (objective <= best + 1e-12) return "best";
  if (best === 0) return `+${objective.toFixed(4)}`;
  const share = (100 * (objective - best)) / best;
  return share < 0.1 ? `+${share.toFixed(2)} %` : `+${share.toFixed(1)} %`;
}

export function objective(value: number): string {
  return value.toFixed(4);
}

/** What is left without something: how good the best tree is, and how many there are. */
export function left(found: { objective: number; n_trees: string }, best: number): string {
  const worse = above(found.objective, best);
  return `${worse === "best" ? "the best tree is as good" : `best tree ${worse}`}, ${trees(found.n_trees)} left.`;
}

/** A condition in two parts: the column, and what is tested. */
export function parts(condition: Condition, about: About): [string, string] {
  const name = about.columns[condition.column].name;
  return condition.text.startsWith(name)
    ? [name, condition.text.slice(name.length).trim().replace("<=", "≤")]
    : ["", condition.text.replace("<=", "≤")];
}

export function conditionText(condition: Condition, holds = true): string {
  return (holds ? condition.text : condition.opposite).replace("<=", "≤");
}

/** The text cut to a number of characters. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

export function status(about: About): string {
  if (about.status === "complete") return "complete: every tree within the bound is here";
  if (about.status === "heuristic") return "that of RESPLIT: other good trees may be missing";
  const reasons: Record<string, string> = {
    time_limit: "the time limit",
    memory_limit: "the memory limit",
    interrupted: "the user",
  };
  const by = reasons[about.status] ?? about.status;
  return `not complete: stopped by ${by}. Only trees up to objective ${objective(about.searched_up_to)} are here, not up to ${objective(about.bound)}`;
}
