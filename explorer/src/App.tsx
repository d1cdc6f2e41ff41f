// The explorer: the tree, what may be done with it, and the history of what was done.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Builder } from "./Builder";
import { FilterPanel } from "./FilterPanel";
import { useAnswer } from "./hooks";
import { useHostTheme, useNarrow } from "./host";
import { Legend } from "./Legend";
import type { About, Ask, Filters, Look, Option, Partial } from "./messages";
import { OverviewPanel } from "./OverviewPanel";
import { allFixed, countFixed, nodeAt, openedAt, replaced } from "./partial";
import { RowsPanel } from "./RowsPanel";
import { Shortlist, type Kept } from "./Shortlist";
import { TakeAway } from "./TakeAway";
import { TreeView } from "./TreeView";
import { above, exact, objective, score, trees } from "./words";

interface State {
  tree: Partial;
  filters: Filters;
}

const START: State = { tree: null, filters: {} };
const TABS = ["Build", "Filter", "Overview", "Rows", "Shortlist", "Take away"] as const;
type Tab = (typeof TABS)[number];

export function App({ ask, about, problem }: { ask: Ask; about: About; problem: string | null }) {
  const [history, setHistory] = useState<{ states: State[]; at: number }>({ states: [START], at: 0 });
  const [selected, setSelected] = useState<string | null>(null);
  const [followed, setFollowed] = useState<string | null>(null);
  const [tab, setTab] = useState<Tab>("Build");
  const [theme, setTheme] = useState<"auto" | "light" | "dark">("auto");
  const [kept, setKept] = useState<Kept[]>([]);
  const [compared, setCompared] = useState<number | null>(null);
  const second = compared === null ? null : kept[compared];
  const root = useRef<HTMLDivElement>(null);
  const hostTheme = useHostTheme();
  const isNarrow = useNarrow(root);
  const state = history.states[history.at];
  const look = useAnswer(ask, "look", state as unknown as Record<string, unknown>);
  const shown = look.answer?.tree ?? null;
  const go = (next: State) => setHistory({ states: [...history.states.slice(0, history.at + 1), next], at: history.at + 1 });
  const step = (by: number) => setHistory({ ...history, at: Math.min(Math.max(history.at + by, 0), history.states.length - 1) });

  // A place that the tree no longer has is no longer chosen.
  const place = shown && selected !== null && nodeAt(shown, selected) ? selected : null;
  const opened = useMemo(() => (shown && place !== null ? openedAt(shown, state.tree, place) : null), [shown, state, place]);
  const options = useAnswer(ask, "options", place === null || look.isWaiting ? null : { tree: opened, filters: state.filters, place });
  const node = shown && place !== null ? nodeAt(shown, place)! : null;
  const current: Option | null = node && { ...(node.split === undefined ? { leaf: node.prediction } : { split: node.split }), n_trees: "0", objective: 0 };

  const choose = (option: Option) => {
    const chosen: Partial = option.split === undefined ? { leaf: option.leaf! } : { split: option.split, true: null, false: null };
    go({ ...state, tree: replaced(opened, place!, chosen) });
  };
  const onKey = (event: KeyboardEvent) => {
    // JupyterLab has commands for single keys, such as x to cut a cell; keys that are pressed here are not meant for it.
    if (!(event.ctrlKey || event.metaKey)) return event.stopPropagation();
    if (event.target instanceof HTMLInputElement) return;
    const key = event.key.toLowerCase();
    if (key === "z") step(event.shiftKey ? 1 : -1);
    else if (key === "y") step(1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class={isNarrow ? "hb-explorer hb-narrow" : "hb-explorer"} data-theme={theme === "auto" ? (hostTheme ?? "auto") : theme} ref={root} onKeyDown={onKey}>
      <header class="hb-header">
        <h1>{about.name}</h1>
        <div class="hb-tools">
          <button type="button" disabled={history.at === 0} onClick={() => step(-1)}>Undo</button>
          <button type="button" disabled={history.at === history.states.length - 1} onClick={() => step(1)}>Redo</button>
          <button type="button" disabled={state.tree === null} onClick={() => go({ ...state, tree: null })}>Best tree</button>
          <button type="button" disabled={!shown} onClick={() => go({ ...state, tree: allFixed(shown!) })}>Fix all</button>
          <select aria-label="Colors of the page" value={theme} onChange={(event) => setTheme(event.currentTarget.value as typeof theme)}>
            <option value="auto">auto</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </div>
      </header>
      {problem && <p role="alert" class="hb-banner">{problem}</p>}
      {about.n_trees !== about.n_set && (
        <p role="note" class="hb-banner">
          The set has {trees(about.n_set)}. Here are the best {exact(about.n_trees)} of them: trees of this kind are not
          counted, but listed one by one.
        </p>
      )}
      {about.status === "heuristic" && (
        <p role="note" class="hb-banner">RESPLIT found these trees. Other good trees may be missing.</p>
      )}
      {!["complete", "heuristic"].includes(about.status) && (
        <p role="note" class="hb-banner">
          The search was stopped early: only trees up to objective {objective(about.searched_up_to)} are here, not up to{" "}
          {objective(about.bound)}.
        </p>
      )}
      <Summary about={about} look={look.answer} isWaiting={look.isWaiting} stop={look.stop} error={look.error} fixed={countFixed(state.tree)} />
      <main class="hb-main">
        <div class="hb-stage">
          {shown ? (
            <>
              <TreeView about={about} tree={shown} selected={place} followed={followed} label="Decision tree" onSelect={(at) => { setSelected(at); if (tab !== "Rows") setTab("Build"); }} />
              {second && (
                <>
                  <h2 class="hb-second">{second.name}</h2>
                  <TreeView about={about} tree={second.look.tree!} selected={null} followed={null} label={`Decision tree ${second.name}`} onSelect={() => {}} />
                </>
              )}
              <Legend about={about} />
            </>
          ) : (
            look.answer && <p class="hb-empty">No good tree is left. Undo, or remove a filter.</p>
          )}
        </div>
        <aside class="hb-panel">
          <div role="tablist" aria-label="Panels" class="hb-tabs">
            {TABS.map((name) => (
              <button type="button" role="tab" key={name} id={`hb-tab-${name}`} aria-selected={tab === name} aria-controls="hb-tabpanel" tabIndex={tab === name ? 0 : -1} onClick={() => setTab(name)} onKeyDown={(event) => moveTab(event, name, setTab)}>
                {name}
                {name === "Filter" && Object.keys(state.filters).length > 0 && ` (${Object.keys(state.filters).length})`}
                {name === "Shortlist" && kept.length > 0 && ` (${kept.length})`}
              </button>
            ))}
          </div>
          <div role="tabpanel" id="hb-tabpanel" aria-labelledby={`hb-tab-${tab}`} class="hb-content" tabIndex={0}>
            {tab === "Build" && (
              <Builder about={about} place={place} asked={options} current={current} best={about.best} isFixed={node?.fixed ?? false} onChoose={choose} onOpen={() => go({ ...state, tree: opened })} ask={ask} filters={state.filters} opened={opened} withSplit={(split) => replaced(opened, place!, { split, true: null, false: null })} />
            )}
            {tab === "Filter" && <FilterPanel about={about} ask={ask} filters={state.filters} tree={state.tree} best={about.best} onChange={(filters) => go({ ...state, filters })} />}
            {tab === "Overview" && <OverviewPanel about={about} ask={ask} filters={state.filters} tree={state.tree} onFilter={(filters) => go({ ...state, filters })} />}
            {tab === "Rows" && shown && (
              <RowsPanel about={about} ask={ask} filters={state.filters} tree={allFixed(shown)} place={place ?? ""} prediction={(at) => nodeAt(shown, at)?.prediction ?? 0} onFollow={setFollowed} />
            )}
            {tab === "Shortlist" && (
              <Shortlist kept={kept} current={look.answer?.tree ? { tree: allFixed(look.answer.tree), look: look.answer } : null} best={about.best} onChange={setKept} onShow={(tree) => go({ tree, filters: {} })} about={about} ask={ask} compared={compared} onCompare={setCompared} />
            )}
            {tab === "Take away" && <TakeAway ask={ask} filters={state.filters} tree={state.tree} root={() => root.current} hasEngine={!about.is_listed} />}
          </div>
        </aside>
      </main>
    </div>
  );
}

function moveTab(event: KeyboardEvent, name: Tab, setTab: (tab: Tab) => void) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const next = TABS[(TABS.indexOf(name) + by + TABS.length) % TABS.length];
  setTab(next);
  const list = (event.currentTarget as HTMLElement).parentElement!;
  (list.children[TABS.indexOf(next)] as HTMLElement).focus();
}

interface SummaryProperties {
  about: About;
  look: Look | null;
  isWaiting: boolean;
  stop: () => void;
  error: string | null;
  fixed: number;
}

function Summary({ about, look, isWaiting, stop, error, fixed }: SummaryProperties) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isWaiting) return setSlow(false);
    const timer = setTimeout(() => setSlow(true), 400);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return (
    <div class="hb-summary" aria-live="polite" aria-busy={isWaiting}>
      {look && (
        <>
          <Figure name="good trees" value={look.n_trees === "0" ? "none" : trees(look.n_trees).replace(/ trees?$/, "")} title={`${exact(look.n_trees)} trees${fixed ? " with the fixed nodes" : ""}`} id="count" />
          {look.tree && (
            <>
              <Figure name="objective" value={`${objective(look.objective)}`} extra={above(look.objective, about.best)} title="loss + leaf penalty" />
              <Figure name="leaves" value={String(look.leaves)} title={`depth ${look.depth}`} />
              <Figure name={about.score} value={score(look.train, about)} title="of the training rows" />
              {look.test !== null && <Figure name="on test rows" value={score(look.test, about)} title={`${exact(String(about.test_rows))} rows`} />}
            </>
          )}
        </>
      )}
      {isWaiting && isSlow && (
        <span class="hb-waiting">
          Searching… <button type="button" onClick={stop}>Stop</button>
        </span>
      )}
      {error && <span role="alert" class="hb-error">{error}</span>}
    </div>
  );
}

function Figure({ name, value, extra, title, id }: { name: string; value: string; extra?: string; title: string; id?: string }) {
  return (
    <div class="hb-figure" title={title} data-figure={id ?? name}>
      <b>{value}</b>
      {extra && <em>{extra}</em>}
      <span>{name}</span>
    </div>
  );
}
