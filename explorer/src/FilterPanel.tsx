// Filters, each with what it leaves.
import { useState } from "preact/hooks";
import { Breakable } from "./Breakable";
import { useAnswer } from "./hooks";
import type { About, Ask, Filters, Partial } from "./messages";
import { cut, exact, left, objective } from "./words";

interface Properties {
  about: About;
  ask: Ask;
  filters: Filters;
  tree: Partial;
  best: number;
  onChange: (filters: Filters) => void;
}

type Use = "any" | "never" | "always";

export function FilterPanel({ about, ask, filters, tree, best, onChange }: Properties) {
  const useOf = (column: number): Use =>
    filters.never?.includes(column) ? "never" : filters.always?.includes(column) ? "always" : "any";
  const set = (column: number, use: Use) => {
    const without = (columns?: number[]) => (columns ?? []).filter((one) => one !== column);
    const next: Filters = { ...filters, never: without(filters.never), always: without(filters.always) };
    if (use !== "any") next[use] = [...next[use]!, column].sort((a, b) => a - b);
    onChange(cleaned(next));
  };
  const [typed, setTyped] = useState("");
  const shown = about.columns.map((column, index) => ({ ...column, index })).filter((one) => one.name.toLowerCase().includes(typed.toLowerCase()));
  return (
    <section aria-label="Filters">
      <div class="hb-numbers">
        <NumberFilter label="At most leaves" least={1} value={filters.max_leaves} placeholder={about.most_leaves} onChange={(value) => onChange(cleaned({ ...filters, max_leaves: value }))} />
        <NumberFilter label="At most depth" least={0} value={filters.max_depth} placeholder={about.max_depth ?? undefined} onChange={(value) => onChange(cleaned({ ...filters, max_depth: value }))} />
        <NumberFilter label="At least rows in a leaf" least={1} value={filters.min_rows} placeholder={about.min_rows} onChange={(value) => onChange(cleaned({ ...filters, min_rows: value }))} />
      </div>
      {filters.max_objective !== undefined && (
        <p class="hb-hint">
          Objective at most {objective(filters.max_objective)}.{" "}
          <button type="button" class="hb-link" onClick={() => onChange(cleaned({ ...filters, max_objective: undefined }))}>Remove</button>
        </p>
      )}
      <h3>Columns</h3>
      {about.columns.length > 12 && (
        <input type="search" class="hb-search" aria-label="Find a column" placeholder="Find a column" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      )}
      <ul class="hb-columns">
        {shown.slice(0, MOST_SHOWN).map((column) => (
          <ColumnFilter key={column.index} about={about} ask={ask} filters={filters} tree={tree} best={best} column={column.index} use={useOf(column.index)} onChange={(use) => set(column.index, use)} />
        ))}
      </ul>
      {shown.length > MOST_SHOWN && <p class="hb-hint">{shown.length - MOST_SHOWN} more columns: type a part of the name.</p>}
      {Object.keys(filters).length > 0 && <button type="button" onClick={() => onChange({})}>Remove all filters</button>}
    </section>
  );
}

const MOST_SHOWN = 60;

export function cleaned(filters: Filters): Filters {
  const kept = Object.entries(filters).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0));
  return Object.fromEntries(kept);
}

interface NumberProperties {
  label: string;
  least: number;
  value?: number;
  placeholder?: number;
  onChange: (value: number | undefined) => void;
}

function NumberFilter({ label, least, value, placeholder, onChange }: NumberProperties) {
  const [typed, setTyped] = useState<string>(); // until it is entered, so that an answer that arrives does not clear it
  return (
    <label>
      {label}
      <input
        type="number"
        min={least}
        step={1}
        value={typed ?? value ?? ""}
        placeholder={placeholder === undefined ? "any" : String(placeholder)}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => {
          setTyped(undefined);
          const number = event.currentTarget.valueAsNumber;
          onChange(Number.isInteger(number) && number >= least ? number : undefined);
        }}
      />
    </label>
  );
}

interface ColumnProperties extends Omit<Properties, "onChange"> {
  column: number;
  use: Use;
  onChange: (use: Use) => void;
}

function ColumnFilter({ about, ask, filters, tree, best, column, use, onChange }: ColumnProperties) {
  const [isAsked, setAsked] = useState(false);
  const without = cleaned({ ...filters, always: filters.always?.filter((one) => one !== column), never: [...new Set([...(filters.never ?? []), column])] });
  const count = useAnswer(ask, "count", isAsked ? { tree, filters: without } : null);
  const name = about.columns[column].name;
  const { answer } = count;
  return (
    <li>
      <label class="hb-column">
        <span title={name}><Breakable text={cut(name, 40)} /></span>
        <select aria-label={`Use of ${name}`} value={use} onChange={(event) => onChange(event.currentTarget.value as Use)}>
          <option value="any">may be used</option>
          <option value="never">never</option>
          <option value="always">always</option>
        </select>
      </label>
      <p class="hb-cost" aria-live="polite">
        {count.isWaiting ? (
          <>
            Counting the trees without it… <button type="button" class="hb-link" onClick={count.stop}>Stop</button>
          </>
        ) : answer ? (
          answer.objective === null ? (
            "Without it no good tree is left."
          ) : (
            <span title={`${exact(answer.n_trees)} trees`}>
              Without it: {left({ ...answer, objective: answer.objective }, best)}
            </span>
          )
        ) : (
          <button type="button" class="hb-link" aria-label={`What does it cost to leave out ${name}?`} onClick={() => setAsked(true)}>
            {count.error ?? "What does it cost to leave it out?"}
          </button>
        )}
      </p>
    </li>
  );
}
