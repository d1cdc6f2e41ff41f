// What may stand at the chosen node: every leaf and split that some good tree has.
import { useState } from "preact/hooks";
import { Breakable } from "./Breakable";
import { colorOf } from "./colors";
import { useAnswer, type Asked } from "./hooks";
import type { About, Answers, Ask, Filters, Option, Partial } from "./messages";
import { above, brief, conditionText, cut, exact, objective, score, trees } from "./words";

interface Properties {
  about: About;
  place: string | null;
  asked: Asked<Answers["options"]>;
  current: Option | null; // what the shown tree has there
  best: number; // objective of the best tree of the set
  isFixed: boolean;
  onChoose: (option: Option) => void;
  onOpen: () => void;
  ask: Ask;
  withSplit: (split: number) => Partial;
  filters: Filters;
  opened: Partial; // the tree with this node open
}

type Scores = Map<string, number | null>;

export function Builder({ about, place, asked, current, best, isFixed, onChoose, onOpen, ask, withSplit, filters, opened }: Properties) {
  const wantsScores = place !== null && about.test_rows > 0 && asked.answer !== null && !asked.isWaiting;
  const scored = useAnswer(ask, "scores", wantsScores ? { tree: opened, filters, place } : null);
  const scores: Scores = new Map(scored.isWaiting ? [] : scored.answer?.scores.map((one) => [nameOf(one), one.test]));
  if (place === null)
    return (
      <p class="hb-hint">
        Choose a node of the tree, by a click or by Tab, the arrow keys and Enter. Here you then see every split that
        still leads to a good tree.
      </p>
    );
  const options = asked.answer?.options ?? [];
  const groups = new Map<number, Option[]>();
  for (const option of options) {
    const column = option.split === undefined ? -1 : about.conditions[option.split].column;
    groups.set(column, [...(groups.get(column) ?? []), option]);
  }
  const total = options.reduce((sum, option) => sum + BigInt(option.n_trees), 0n);
  return (
    <section aria-label="What may stand at this node" aria-busy={asked.isWaiting}>
      <p class="hb-hint">
        {asked.answer ? `${options.length} ways to go on here, in ${trees(String(total))}.` : "Counting…"}{" "}
        {about.test_rows > 0 && `Numbers: good trees, how much worse the best of them is, its ${about.score} on test rows. `}
        {isFixed && (
          <button type="button" class="hb-link" onClick={onOpen}>
            Leave this node open
          </button>
        )}
      </p>
      {asked.error && <p role="alert" class="hb-error">{asked.error}</p>}
      <ul class="hb-groups">
        {[...groups].map(([column, of]) => (
          <Group key={column} about={about} column={column} options={of} current={current} best={best} total={total} scores={scores} onChoose={onChoose} />
        ))}
      </ul>
      {asked.answer && about.lacks.leaving && <p class="hb-hint hb-lacking">{about.lacks.leaving}</p>}
      {asked.answer && !about.lacks.leaving && <Leaving about={about} ask={ask} options={options} best={best} withSplit={withSplit} filters={filters} key={place} />}
    </section>
  );
}

interface LeavingProperties {
  about: About;
  ask: Ask;
  options: Option[];
  best: number;
  withSplit: (split: number) => Partial;
  filters: Filters;
}

/** What a split costs that no good tree has here. */
function Leaving({ about, ask, options, best, withSplit, filters }: LeavingProperties) {
  const inSet = new Set(options.map((option) => option.split));
  const others = about.conditions.map((condition, split) => ({ condition, split })).filter((one) => !inSet.has(one.split));
  const [split, setSplit] = useState<number | null>(null);
  const asked = useAnswer(ask, "leaving", split === null ? null : { tree: withSplit(split), filters });
  if (others.length === 0) return null;
  const { answer } = asked;
  return (
    <div class="hb-leaving">
      <h3>Outside the set</h3>
      <label>
        What would another split cost?
        <select value={split ?? ""} onChange={(event) => setSplit(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}>
          <option value="">choose a condition</option>
          {others.map((one) => (
            <option key={one.split} value={one.split}>{cut(conditionText(one.condition), 60)}</option>
          ))}
        </select>
      </label>
      <p class="hb-hint" aria-live="polite">
        {asked.isWaiting
          ? "Searching for the best tree with it…"
          : asked.error ??
            (answer &&
              (answer.least === null || answer.most === null
                ? "It would leave too few rows on one side."
                : `Best tree with it: ${above(answer.most, best)} (objective ${objective(answer.most)}${
                    answer.least < answer.most ? `, proven only to be at least ${objective(answer.least)}` : ""
                  }). The set ends at ${above(about.bound, best)}.`))}
      </p>
    </div>
  );
}

interface GroupProperties {
  about: About;
  column: number;
  options: Option[];
  current: Option | null;
  best: number;
  total: bigint;
  scores: Scores;
  onChoose: (option: Option) => void;
}

function nameOf(option: { leaf?: number; split?: number }): string {
  return option.split === undefined ? `leaf-${option.leaf}` : `split-${option.split}`;
}

function isSame(a: Option | null, b: Option): boolean {
  return a !== null && a.leaf === b.leaf && a.split === b.split;
}

/** All splits on one column: its thresholds on a slider, anything else as a list. */
function Group({ about, column, options, current, best, total, scores, onChoose }: GroupProperties) {
  const thresholds = options
    .filter((option) => option.split !== undefined && about.conditions[option.split].threshold !== undefined)
    .sort((a, b) => about.conditions[a.split!].threshold! - about.conditions[b.split!].threshold!);
  const others = options.filter((option) => !thresholds.includes(option));
  const name = column < 0 ? "End with a leaf" : about.columns[column].name;
  return (
    <li class="hb-group">
      <h3 title={name}>{cut(name, 60)}</h3>
      {thresholds.length > 1 && (
        <Slider about={about} options={thresholds} current={current} best={best} total={total} scores={scores} onChoose={onChoose} />
      )}
      <ul>
        {[...(thresholds.length === 1 ? thresholds : []), ...others].map((option) => (
          <li key={option.split ?? `leaf ${option.leaf}`}>
            <Choice about={about} option={option} best={best} total={total} scores={scores} isCurrent={isSame(current, option)} onChoose={onChoose} />
          </li>
        ))}
      </ul>
    </li>
  );
}

function Slider({ about, options, current, best, total, scores, onChoose }: Omit<GroupProperties, "column">) {
  const cheapest = options.reduce((a, b) => (b.objective < a.objective ? b : a));
  const start = options.findIndex((option) => isSame(current, option));
  const key = options.map((option) => option.split).join();
  const [state, setState] = useState({ key, at: start >= 0 ? start : options.indexOf(cheapest) });
  const at = state.key === key ? state.at : start >= 0 ? start : options.indexOf(cheapest);
  const option = options[at];
  const condition = about.conditions[option.split!];
  return (
    <div class="hb-slider">
      <input
        type="range"
        min={0}
        max={options.length - 1}
        value={at}
        aria-label={`Threshold of ${about.columns[condition.column].name}`}
        aria-valuetext={conditionText(condition)}
        onInput={(event) => setState({ key, at: Number(event.currentTarget.value) })}
      />
      <Choice about={about} option={option} best={best} total={total} scores={scores} isCurrent={isSame(current, option)} onChoose={onChoose} />
    </div>
  );
}

interface ChoiceProperties {
  about: About;
  option: Option;
  best: number;
  total: bigint;
  scores: Scores;
  isCurrent: boolean;
  onChoose: (option: Option) => void;
}

function Choice({ about, option, best, total, scores, isCurrent, onChoose }: ChoiceProperties) {
  const share = Number((BigInt(option.n_trees) * 1000n) / total) / 10;
  const test = scores.get(nameOf(option));
  const text = option.split === undefined ? `predict ${about.classes[option.leaf!]}` : conditionText(about.conditions[option.split]);
  return (
    <button
      type="button"
      class={isCurrent ? "hb-choice hb-current" : "hb-choice"}
      aria-pressed={isCurrent}
      data-option={nameOf(option)}
      title={`${text}: ${exact(option.n_trees)} trees, best objective ${objective(option.objective)}`}
      onClick={() => onChoose(option)}
    >
      <span class="hb-choice-text">
        {option.split === undefined && <span class="hb-swatch" style={{ background: colorOf(option.leaf!) }} />}
        <Breakable text={cut(text, 80)} />
      </span>
      <span class="hb-choice-numbers">
        <span>{brief(option.n_trees)}</span>
        <span class="hb-above">{above(option.objective, best)}</span>
        {test !== undefined && <span class="hb-score">{score(test, about)}</span>}
      </span>
      <span class="hb-share" style={{ width: `${Math.max(share, 0.5)}%` }} />
    </button>
  );
}
