// The module that every host loads, by anywidget's convention.
import { render as mount } from "preact";
import { App } from "./App";
import { asking, type About, type Model } from "./messages";

async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  const { ask, close } = asking(model);
  let about: About | null = null;
  let problem: string | null = null;
  const draw = () => {
    if (about) mount(<App ask={ask} about={about} problem={problem} />, el);
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
    about = await ask("about");
  } catch (error) {
    problem = (error as Error).message;
  }
  draw();
  return () => {
    model.off("msg:custom", listener);
    close();
    mount(null, el);
  };
}

export default { render };
