// The host in the page of the server: messages are requests below the page's own address, which has the token.
// @ts-expect-error: the file next to this one, once built
import explorer from "./explorer.js";
import type { Model } from "./messages";

const RETRY = 1500; // milliseconds

class ServerModel implements Model {
  private listeners = new Set<(message: any) => void>();
  private running = new Map<string, AbortController>();
  private isLost = false;

  on(_: "msg:custom", listener: (message: any) => void) {
    this.listeners.add(listener);
  }

  off(_: "msg:custom", listener: (message: any) => void) {
    this.listeners.delete(listener);
  }

  send(message: any) {
    if (message.stop) this.running.get(message.id)?.abort();
    else void this.ask(message);
  }

  private tell(message: unknown) {
    for (const listener of [...this.listeners]) listener(message);
  }

  /** Asks until there is an answer: a server that went away may come back. */
  private async ask(message: any) {
    const controller = new AbortController();
    this.running.set(message.id, controller);
    const { id, ...question } = message;
    while (!controller.signal.aborted) {
      try {
        const response = await fetch("ask", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(question),
          signal: controller.signal,
        });
        this.found();
        if (response.status === 404) this.tell({ id, error: "This address is no longer valid: open the one that hornbeam printed last." });
        else this.tell({ id, ...(await response.json()) });
        break;
      } catch (error) {
        if (controller.signal.aborted) break;
        this.lost();
        await new Promise((resolve) => setTimeout(resolve, RETRY));
      }
    }
    this.running.delete(message.id);
  }

  private lost() {
    if (!this.isLost) this.tell({ problem: "The server does not answer. This page tries again until it is back." });
    this.isLost = true;
  }

  private found() {
    if (this.isLost) this.tell({ problem: null });
    this.isLost = false;
  }
}

void explorer.render({ model: new ServerModel(), el: document.getElementById("explorer")! });
