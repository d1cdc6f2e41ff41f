// The host in a file that works without a server: the listing is in the page.
import explorer from "./main";
import { ListedEngine } from "./listed";
import type { Model } from "./messages";

class FileModel implements Model {
  private listeners = new Set<(message: any) => void>();

  constructor(private engine: ListedEngine) {}

  on(_: "msg:custom", listener: (message: any) => void) {
    this.listeners.add(listener);
  }

  off(_: "msg:custom", listener: (message: any) => void) {
    this.listeners.delete(listener);
  }

  send(message: any) {
    if (message.stop) return;
    let reply: object;
    try {
      reply = { answer: this.engine.answer(message) };
    } catch (error) {
      reply = { error: (error as Error).message };
    }
    queueMicrotask(() => this.listeners.forEach((listener) => listener({ id: message.id, ...reply })));
  }
}

const listing = JSON.parse(document.getElementById("listing")!.textContent!);
void explorer.render({ model: new FileModel(new ListedEngine(listing)), el: document.getElementById("explorer")! });
