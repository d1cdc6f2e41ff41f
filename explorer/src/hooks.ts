// Questions to the engine as state of a component.
import { useEffect, useState } from "preact/hooks";
import type { Answers, Ask } from "./messages";

export interface Asked<T> {
  answer: T | null; // the last one, also while the next one is awaited
  error: string | null;
  isWaiting: boolean;
  stop: () => void;
}

/** Asks again whenever what is asked changes; a question that is no longer of use is stopped. */
export function useAnswer<M extends keyof Answers>(
  ask: Ask,
  method: M,
  parameters: Record<string, unknown> | null,
): Asked<Answers[M]> {
  const key = parameters === null ? null : JSON.stringify(parameters);
  const [state, setState] = useState<Omit<Asked<Answers[M]>, "stop">>({ answer: null, error: null, isWaiting: false });
  const [stop, setStop] = useState<() => void>(() => () => {});
  useEffect(() => {
    if (parameters === null) {
      setState({ answer: null, error: null, isWaiting: false });
      return;
    }
    const controller = new AbortController();
    let isWanted = true;
    setStop(() => () => controller.abort());
    setState((before) => ({ ...before, isWaiting: true, error: null }));
    ask(method, parameters, controller.signal).then(
      (answer) => isWanted && setState({ answer, error: null, isWaiting: false }),
      (error: Error) =>
        isWanted &&
        setState((before) => ({
          answer: before.answer,
          error: error.name === "AbortError" ? "Stopped." : error.message,
          isWaiting: false,
        })),
    );
    return () => {
      isWanted = false;
      controller.abort();
    };
  }, [method, key]);
  return { ...state, stop };
}
