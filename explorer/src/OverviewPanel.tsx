// The whole set: trees by size and objective, columns, rows about which trees disagree.
import { useState } from "preact/hooks";
import { Breakable } from "./Breakable";
import { useAnswer, type Asked } from "./hooks";
import type { About, Ask, Filters, Importance, Partial } from "./messages";
import { above, cut, exact, objective, percent, status } from "./words";

interface Properties {
  about: About;
  ask: Ask;
  filters: Filters;
  tree: Partial;
  onFilter: (filters: Filters) => void;
}

export function OverviewPanel({ about, ask, filters, tree, onFilter }: Properties) {
  return (
    <section aria-label="Overview">
      <p class="hb-hint">
        {exact(about.n_set)} trees up to objective {objective(about.searched_up_to)}; the set is {status(about)}. The best
        objective {objective(about.best)} is {about.gap === 0 ? "proven optimal" : `proven to within ${percent(about.gap)}`}.
      </p>
      <HeatMap about={about} ask={ask} filters={filters} tree={tree} onFilter={onFilter} />
      <Columns about={about} ask={ask} />
      {!about.is_listed && <Disputes about={about} filters={filters} ask={ask} />}
    </section>
  );
}

function HeatMap({ about, ask, filters, tree, onFilter }: Properties) {
  const asked = useAnswer(ask, "overview", { tree, filters });
  const found = asked.answer;
  if (!found) return <p class="hb-hint">{asked.error ?? "Counting…"}</p>;
  const sizes = found.frontier.map((one) => one.leaves);
  const counts = new Map(found.cells.map((cell) => [`${cell.leaves} ${cell.bin}`, cell.n_trees]));
  const most = Math.max(...found.cells.map((cell) => cell.n_trees.length + Number(cell.n_trees.slice(0, 4)) / 10 ** Math.min(4, cell.n_trees.length)), 1);
  return (
    <>
      <h3>Trees by number of leaves and objective</h3>
      <p class="hb-hint">A click keeps the trees that are at least as small and as good.</p>
      <div class="hb-scroll" tabIndex={0} role="region" aria-label="Table of numbers of trees">
        <table class="hb-heat">
          <thead>
            <tr>
              <th scope="col">objective</th>
              {sizes.map((leaves) => (
                <th scope="col" key={leaves}>{leaves}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.edges.slice(0, -1).map((low, bin) => (
              <tr key={bin}>
                <th scope="row" title={`${objective(low)} to ${objective(found.edges[bin + 1])}`}>to {above(found.edges[bin + 1], about.best).replace("best", "+0 %")}</th>
                {sizes.map((leaves) => {
                  const count = counts.get(`${leaves} ${bin}`);
                  if (!count) return <td key={leaves} />;
                  const strength = (count.length + Number(count.slice(0, 4)) / 10 ** Math.min(4, count.length)) / most;
                  return (
                    <td key={leaves}>
                      <button
                        type="button"
                        class={strength > 0.55 ? "hb-cell hb-strong" : "hb-cell"}
                        style={{ "--strength": `${Math.round(100 * strength)}%` }}
                        title={`${exact(count)} trees with ${leaves} leaves and objective ${objective(low)} to ${objective(found.edges[bin + 1])}`}
                        onClick={() => onFilter({ ...filters, max_leaves: leaves, max_objective: found.edges[bin + 1] })}
                      >
                        {short(count)}
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h3>Best objective for each number of leaves</h3>
      <ul class="hb-bars">
        {found.frontier.map((one) => (
          <li key={one.leaves}>
            <span>{one.leaves} {one.leaves === 1 ? "leaf" : "leaves"}</span>
            <Bar share={(one.objective - about.best) / (about.bound - about.best || 1)} />
            <span>{objective(one.objective)} ({above(one.objective, about.best)})</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Bar({ share }: { share: number }) {
  return <span class="hb-bar" style={{ "--share": `${100 * share}%` }} aria-hidden="true" />;
}

/** 12, 3k, 45M, 2·10¹²: few enough characters for a cell. */
function short(count: string): string {
  if (count.length <= 3) return count;
  const unit = Math.floor((count.length - 1) / 3);
  if (unit < 5) return `${count.slice(0, count.length - 3 * unit)}${["", "k", "M", "B", "T"][unit]}`;
  return `e${count.length - 1}`;
}

function Columns({ about, ask }: { about: About; ask: Ask }) {
  const [wantsExact, setWantsExact] = useState(false);
  const asked = useAnswer(ask, "importance", { exact: wantsExact });
  const found = asked.answer;
  if (!found) return <p class="hb-hint">{asked.error ?? "Measuring the columns…"}</p>;
  const columns = found.columns
    .filter((one) => one.share > 0)
    .map((one) => ({ ...one, mark: one.mean ?? one.share }))
    .sort((a, b) => b.mark - a.mark);
  const unused = about.columns.length - columns.length;
  const { reliance } = about.lacks;
  return (
    <>
      <h3>{reliance ? "How many trees test each column" : "How much the trees rely on each column"}</h3>
      {reliance ? (
        <p class="hb-hint">{reliance}</p>
      ) : (
        <HowMeasured found={found} asked={asked} onExact={() => setWantsExact(true)} />
      )}
      <Reliances about={about} columns={columns} />
      {unused > 0 && <p class="hb-hint">{unused === 1 ? "1 column is" : `${unused} columns are`} not tested by any of the trees.</p>}
    </>
  );
}

interface HowMeasuredProperties {
  found: Importance;
  asked: Asked<Importance>;
  onExact: () => void;
}

function HowMeasured({ found, asked, onExact }: HowMeasuredProperties) {
  return (
    <p class="hb-hint" aria-live="polite">
      Increase of the loss if the values of the column are shuffled:{" "}
      least, mean (mark and number) and largest over{" "}
      {found.is_exact ? "all trees" : `${found.n_trees} trees drawn at random`}.{" "}
      {!found.is_exact && <Waiting asked={asked} what="Measuring…" />}
      {!found.is_exact && !asked.isWaiting && (
        <button type="button" class="hb-link" title="This may take a minute." onClick={onExact}>
          Measure all trees
        </button>
      )}{" "}
      {asked.error}
    </p>
  );
}

/** What is going on while an answer is awaited, with a button that stops it. */
function Waiting({ asked, what }: { asked: Asked<unknown>; what: string }) {
  if (!asked.isWaiting) return null;
  return (
    <>
      {what}{" "}
      <button type="button" class="hb-link" onClick={asked.stop}>
        Stop
      </button>
    </>
  );
}

type Measured = Importance["columns"][number] & { mark: number };

function Reliances({ about, columns }: { about: About; columns: Measured[] }) {
  const most = Math.max(...columns.map((one) => one.most ?? one.share), 1e-9);
  return (
    <ul class="hb-reliance">
      {columns.map((one) => {
        const { name } = about.columns[one.column];
        const least = Math.max(one.least ?? 0, 0);
        const range =
          one.least === null || one.most === null
            ? ""
            : `${one.least.toFixed(4)} to ${one.most.toFixed(4)}, mean ${one.mark.toFixed(4)}, best tree ${(one.best ?? 0).toFixed(4)}; `;
        return (
          <li key={one.column} title={`${name}: ${range}tested by ${percent(one.share)} of all trees`}>
            <span><Breakable text={cut(name, 28)} /></span>
            <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
              <rect x={(98 * least) / most} y={4} width={Math.max((98 * ((one.most ?? one.share) - least)) / most, 0.5)} height={4} class="hb-range" />
              <rect x={(98 * Math.max(one.mark, 0)) / most} y={1} width={1.5} height={10} class="hb-mean" />
            </svg>
            <span>{range ? one.mark.toFixed(3) : percent(one.share)}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Disputes({ about, filters, ask }: { about: About; filters: Filters; ask: Ask }) {
  const [wantsExact, setWantsExact] = useState(false);
  const asked = useAnswer(ask, "disputed", { filters, exact: wantsExact });
  const found = asked.answer;
  if (!found) return <p class="hb-hint">{asked.error ?? "Counting votes…"}</p>;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <h3>{found.is_training ? "Training rows" : "Test rows"} about which good trees disagree</h3>
      <p class="hb-hint" aria-live="polite">
        {exact(String(found.n_disputed))} of {exact(String(found.n_rows))} {found.is_training ? "training" : "test"} rows,
        by the votes of{" "}
        {found.is_exact
          ? `all ${isFiltered ? `${exact(found.n_trees)} trees that the filters leave` : "trees"}.`
          : `${found.n_trees} trees drawn at random.`}{" "}
        <Waiting asked={asked} what="Counting…" />
        {!found.is_exact && !asked.isWaiting && (
          <button type="button" class="hb-link" title="This takes some seconds." onClick={() => setWantsExact(true)}>
            Votes of all trees
          </button>
        )}{" "}
        {asked.error}
      </p>
      <ul class="hb-bars">
        {found.rows.slice(0, 12).map((one) => {
          const first = one.votes.indexOf(Math.max(...one.votes));
          return (
            <li key={one.row}>
              <span>row {one.row}</span>
              <Bar share={one.votes[first]} />
              <span>{percent(one.votes[first])} for {about.classes[first]}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

