// What the page shows while the good trees are searched for.
import { useHostTheme } from "./host";
import type { Searching } from "./messages";
import { exact, objective } from "./words";

interface Properties {
  search: Searching;
  problem: string | null;
  onStop: () => void;
}

export function Search({ search, problem, onStop }: Properties) {
  const theme = useHostTheme();
  return (
    <div class="hb-explorer" data-theme={theme ?? "auto"}>
      <header class="hb-header">
        <h1>{search.name}</h1>
      </header>
      {problem && <p role="alert" class="hb-banner">{problem}</p>}
      <main class="hb-search">
        <p>
          Searching for all good trees of {exact(String(search.rows))} rows: {Math.floor(search.seconds)} s
        </p>
        <p role="status">
          {search.best === undefined
            ? "No tree yet."
            : `Best tree so far: objective ${objective(search.best)}, ${search.leaves} ${search.leaves === 1 ? "leaf" : "leaves"}. ` +
              `No tree has an objective below ${objective(search.bound!)}.`}
        </p>
        <button type="button" disabled={search.is_stopping} onClick={onStop}>
          {search.is_stopping ? "Stopping…" : "Stop, and show what is found"}
        </button>
      </main>
    </div>
  );
}
