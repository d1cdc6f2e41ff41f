// Trees that were kept, with names and notes.
import { DataTable } from "./DataTable";
import { useAnswer } from "./hooks";
import type { About, Ask, Look, Partial } from "./messages";
import { above, exact, objective, score } from "./words";

export interface Kept {
  name: string;
  note: string;
  tree: Partial;
  look: Look;
}

interface Properties {
  kept: Kept[];
  current: { tree: Partial; look: Look } | null;
  best: number;
  onChange: (kept: Kept[]) => void;
  onShow: (tree: Partial) => void;
  about: About;
  ask: Ask;
  compared: number | null; // which of the kept trees is next to the shown one
  onCompare: (index: number | null) => void;
}

export function Shortlist({ kept, current, best, onChange, onShow, about, ask, compared, onCompare }: Properties) {
  const change = (index: number, part: { name?: string; note?: string }) =>
    onChange(kept.map((one, at) => (at === index ? { ...one, ...part } : one)));
  return (
    <section aria-label="Shortlist">
      <button type="button" disabled={!current} onClick={() => onChange([...kept, { name: `Tree ${kept.length + 1}`, note: "", ...current! }])}>
        Keep the shown tree
      </button>
      {kept.length === 0 && <p class="hb-hint">Trees that you keep are listed here, to be compared and shown again.</p>}
      <ol class="hb-kept">
        {kept.map((one, index) => (
          <li key={index}>
            <input aria-label={`Name of tree ${index + 1}`} value={one.name} onInput={(event) => change(index, { name: event.currentTarget.value })} />
            <p class="hb-hint">
              objective {objective(one.look.objective)} ({above(one.look.objective, best)}), {one.look.leaves} leaves, {about.score}{" "}
              {score(one.look.train, about)}
              {one.look.test !== null && `, ${score(one.look.test, about)} on test rows`}
            </p>
            <textarea aria-label={`Notes on ${one.name}`} placeholder="Notes" rows={2} value={one.note} onInput={(event) => change(index, { note: event.currentTarget.value })} />
            <button type="button" onClick={() => onShow(one.tree)}>Show</button>{" "}
            <button type="button" aria-pressed={index === compared} onClick={() => onCompare(index === compared ? null : index)}>Compare</button>{" "}
            <button type="button" aria-label={`Remove ${one.name}`} onClick={() => {
              if (compared !== null) onCompare(index === compared ? null : index < compared ? compared - 1 : compared);
              onChange(kept.filter((_, at) => at !== index));
            }}>Remove</button>
          </li>
        ))}
      </ol>
      {compared !== null && current && about.test_rows > 0 && <Differences about={about} ask={ask} tree={current.tree} other={kept[compared]} />}
    </section>
  );
}

const MOST_ROWS = 40;

/** The test rows that the shown tree and a kept one judge differently. */
function Differences({ about, ask, tree, other }: { about: About; ask: Ask; tree: Partial; other: Kept }) {
  const asked = useAnswer(ask, "compare", { tree, other: other.tree });
  const found = asked.answer;
  if (!found) return <p class="hb-hint">{asked.error ?? "Comparing…"}</p>;
  return (
    <>
      <h3>Test rows that the trees judge differently</h3>
      <p class="hb-hint" role="status">
        {exact(String(found.total))} of {exact(String(about.test_rows))} rows
        {found.total > 0 && `; the shown tree is right about ${exact(String(found.first_right))} of them, ${other.name} about ${exact(String(found.second_right))}`}.
        {found.total > MOST_ROWS && ` The first ${MOST_ROWS}:`}
      </p>
      {found.total > 0 && (
        <DataTable
          about={about}
          label="Rows judged differently"
          labels={["actual", "shown", other.name]}
          rows={found.rows.slice(0, MOST_ROWS).map((one) => ({ row: one.row, head: one.row, labels: [one.actual, one.first, one.second], values: one.values }))}
        />
      )}
    </>
  );
}
