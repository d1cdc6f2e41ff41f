// Rows: those that reach the chosen node, the way of one of them, and of values that are typed in.
import { useEffect, useState } from "preact/hooks";
import { Breakable } from "./Breakable";
import { DataTable } from "./DataTable";
import { useAnswer } from "./hooks";
import type { About, Ask, Filters, Partial, Value } from "./messages";
import { cut, exact, percent } from "./words";

interface Properties {
  about: About;
  ask: Ask;
  filters: Filters;
  tree: Partial;
  place: string;
  prediction: (place: string) => number;
  onFollow: (place: string | null) => void;
}

const MOST_ROWS = 40;

export function RowsPanel({ about, ask, filters, tree, place, prediction, onFollow }: Properties) {
  const asked = useAnswer(ask, "rows", about.test_rows ? { tree, filters, place } : null);
  const [row, setRow] = useState<number | null>(null);
  const [values, setValues] = useState<Value[]>(() => about.columns.map(() => null));
  const [isTyped, setTyped] = useState(false);
  const followed = useAnswer(ask, "follow", isTyped ? { tree, filters, values } : row !== null ? { tree, filters, row } : null);
  const leaf = followed.answer?.place ?? null;
  useEffect(() => onFollow(leaf), [leaf]);
  useEffect(() => () => onFollow(null), []);
  const pick = (number: number, of: Value[]) => {
    setRow(number);
    setTyped(false);
    setValues(of);
  };
  const type = (column: number, text: string) => {
    setTyped(true);
    setValues(values.map((value, index) => (index === column ? asValue(text, about.columns[column].kind) : value)));
  };
  const found = asked.answer;
  return (
    <section aria-label="Rows">
      {about.test_rows > 0 && found && (
        <>
          <h3>Test rows at the chosen node</h3>
          <p class="hb-hint">
            {exact(String(found.total))} rows{found.total > 0 && `, ${percent(found.wrong / found.total)} of them predicted wrongly`}.
            {found.total > MOST_ROWS && ` The first ${MOST_ROWS}:`}
          </p>
          <DataTable
            about={about}
            label="Table of rows"
            labels={["actual", "predicted"]}
            rows={found.rows.slice(0, MOST_ROWS).map((one) => ({
              row: one.row,
              head: <button type="button" class="hb-link" aria-label={`Show the way of row ${one.row}`} onClick={() => pick(one.row, one.values)}>{one.row}</button>,
              labels: [one.actual, one.predicted],
              values: one.values,
              class: one.row === row && !isTyped ? "hb-current" : one.actual === one.predicted ? "" : "hb-wrong",
            }))}
          />
        </>
      )}
      <h3>What if?</h3>
      <p class="hb-hint" aria-live="polite">
        {followed.error ?? (leaf === null ? "Type values, or pick a row above: its way through the tree is then shown." : `Prediction: ${about.classes[prediction(leaf)]}`)}
      </p>
      <div class="hb-values">
        {about.columns.map((column, index) => (
          <label key={index}>
            <span title={column.name}><Breakable text={cut(column.name, 30)} /></span>
            <input
              type="text"
              inputMode={column.kind === "category" ? "text" : "decimal"}
              value={values[index] === null ? "" : String(values[index])}
              placeholder="missing"
              onInput={(event) => type(index, event.currentTarget.value)}
            />
          </label>
        ))}
      </div>
    </section>
  );
}

function asValue(text: string, kind: string): Value {
  if (text.trim() === "") return null;
  const number = Number(text);
  return kind === "category" || Number.isNaN(number) ? text : number;
}
