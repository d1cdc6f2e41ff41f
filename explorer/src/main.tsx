// The module that every host loads, by anywidget's convention.
import { render as mount } from "preact";
import { App } from "./App";
import { asking, type About, type Model, type Searching } from "./messages";
import { Search } from "./Search";

async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  const { ask, close } = asking(model);
  let about: About | null = null;
  let searching: Searching | null = null;
  let problem: string | null = null;
  const stop = () => void ask("stop_search").catch(() => {}); // it has ended meanwhile
  const draw = () => {
    if (about) mount(<App ask={ask} about={about} problem={problem} />, el);
    else if (searching) mount(<Search search={searching} problem={problem} onStop={stop} />, el);
    else mount(<p role="status">{problem ?? "Loading the trees…"}</p>, el);
  };
  // A host that loses its engine says so, and when it is back.
  const listener = (message: any) => {
    if (!message || !("problem" in message)) return;
    problem = message.problem;
    draw();
  };
  model.on("msg:custom", listener);
  draw();
  try {
    while (!about) {
      const answer = await ask("about"); // while the trees are searched for, it takes a part of a second
      if ("searching" in answer) searching = answer.searching;
      else about = answer;
      draw();
    }
  } catch (error) {
    problem = (error as Error).message;
    searching = null;
    draw();
  }
  return () => {
    model.off("msg:custom", listener);
    close();
    mount(null, el);
  };
}

export default { render };
