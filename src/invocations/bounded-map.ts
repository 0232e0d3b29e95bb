/** A map that drops its oldest entry when it is full: for values that can be read again. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.#capacity && !this.has(key)) {
      const { value: first, done } = this.keys().next();
      if (done !== true) this.delete(first);
    }
    return super.set(key, value);
  }
}
