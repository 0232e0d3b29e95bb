interface Waiting {
  /** The caller that it belongs to. */
  caller: string;
}

/** Holds what waits, in a queue for each caller. They take turns: a caller that has sent a thousand gives way to one that has sent one. */
export class Turns<Item extends Waiting> {
  /** In the order of the turns. */
  readonly #queues = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  waitingOf(caller: string): number {
    return this.#queues.get(caller)?.length ?? 0;
  }

  push(item: Item): void {
    this.#queueOf(item).push(item);
    this.#size += 1;
  }

  /** Before what else its caller has waiting. */
  putBack(item: Item): void {
    this.#queueOf(item).unshift(item);
    this.#size += 1;
  }

  /** The first item of the first caller who has one that `mayGo`; then it is the others' turn. */
  take(mayGo: (item: Item) => boolean): Item | undefined {
    for (const [caller, queue] of this.#queues) {
      const [item] = queue;
      if (item === undefined || !mayGo(item)) continue;
      this.remove(item);
      this.giveWay(caller);
      return item;
    }
    return undefined;
  }

  /** As `take`, but of the callers that may go the one of the least cost is next; among equals it is their turns. */
  takeCheapest(costOf: (caller: string) => number, mayGo: (item: Item) => boolean): Item | undefined {
    const costs = new Map(
      [...this.#queues].flatMap(([caller, [item]]) =>
        item !== undefined && mayGo(item) ? [[caller, costOf(caller)] as const] : [],
      ),
    );
    const least = Math.min(...costs.values());
    return this.take(({ caller }) => costs.get(caller) === least);
  }

  /** Puts what this caller has waiting behind what the others have. */
  giveWay(caller: string): void {
    const queue = this.#queues.get(caller);
    if (queue === undefined) return;
    this.#queues.delete(caller);
    this.#queues.set(caller, queue);
  }

  remove(item: Item): void {
    const queue = this.#queues.get(item.caller) ?? [];
    const at = queue.indexOf(item);
    if (at < 0) return;
    queue.splice(at, 1);
    this.#size -= 1;
    if (queue.length === 0) this.#queues.delete(item.caller);
  }

  /** Removes and returns all that `which` names. */
  removeAll(which: (item: Item) => boolean = () => true): Item[] {
    const removed = [...this.#queues.values()].flatMap((queue) => queue.filter(which));
    for (const item of removed) this.remove(item);
    return removed;
  }

  #queueOf({ caller }: Item): Item[] {
    const queue = this.#queues.get(caller) ?? [];
    this.#queues.set(caller, queue);
    return queue;
  }
}
