// The parts of the web platform that programs reach for and the language lacks. Runs once, before the snapshot. What
// needs parsing or bytes is `native`: functions in Rust.
(function (native) {
  'use strict';
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  const tag = (constructor, name) =>
    Object.defineProperty(constructor.prototype, Symbol.toStringTag, { value: name, configurable: true });

  // Shared memory needs threads, and there are none.
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;

  // What a failure says comes from the stack that the engine records; these two would change it.
  const inert = (value) => ({ get: () => value, set: () => {}, enumerable: false, configurable: false });
  Object.defineProperty(Error, 'prepareStackTrace', inert(undefined));
  Object.defineProperty(Error, 'stackTraceLimit', inert(10));
  const { captureStackTrace } = Error;
  Object.defineProperty(Error, 'captureStackTrace', {
    value: (target, above) => {
      if (!Error.isError(target)) captureStackTrace(target, above);
    },
    writable: true,
    configurable: true,
  });
  const { set: setStack } = Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
  Object.defineProperty(Error.prototype, 'stack', { get: native.stack, set: setStack, configurable: true });

  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = '') {
      if (typeof init === 'object' && init !== null) {
        const pairs = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
        for (const pair of pairs) {
          const [name, value, ...more] = pair;
          if (value === undefined || more.length > 0) throw new TypeError('each pair needs a name and a value');
          this.#pairs.push([String(name), String(value)]);
        }
      } else {
        this.#pairs = native.parseQuery(String(init).replace(/^\?/, ''));
      }
    }
    static of(query, changed) {
      const params = new URLSearchParams(query);
      params.#changed = changed;
      return params;
    }
    #update(pairs) {
      this.#pairs = pairs;
      this.#changed(this.toString());
    }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#update([...this.#pairs, [String(name), String(value)]]); }
    delete(name, value) {
      this.#update(this.#pairs.filter(([n, v]) => n !== String(name) || (value !== undefined && v !== String(value))));
    }
    get(name) { return this.#pairs.find(([n]) => n === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([n]) => n === String(name)).map(([, v]) => v); }
    has(name, value) {
      return this.#pairs.some(([n, v]) => n === String(name) && (value === undefined || v === String(value)));
    }
    set(name, value) {
      const first = this.#pairs.findIndex(([n]) => n === String(name));
      if (first < 0) return this.append(name, value);
      const kept = this.#pairs.filter(([n], at) => n !== String(name) || at === first);
      kept[first] = [String(name), String(value)];
      this.#update(kept);
    }
    sort() { this.#update(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))); }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() { for (const [name, value] of this.#pairs) yield [name, value]; }
    *keys() { for (const [name] of this.#pairs) yield name; }
    *values() { for (const [, value] of this.#pairs) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return native.formatQuery(this.#pairs); }
  }
  const paramsOf = URLSearchParams.of;
  delete URLSearchParams.of;
  tag(URLSearchParams, 'URLSearchParams');
  define('URLSearchParams', URLSearchParams);

  class URL {
    #parts;
    #params;
    constructor(url, base) {
      this.#parts = native.parseUrl(String(url), base === undefined ? undefined : String(base));
      if (!this.#parts) throw new TypeError(`Invalid URL: ${url}`);
    }
    static canParse(url, base) {
      return native.parseUrl(String(url), base === undefined ? undefined : String(base)) !== undefined;
    }
    static parse(url, base) { return URL.canParse(url, base) ? new URL(url, base) : null; }
    #set(part, value) {
      this.#parts = native.changeUrl(this.#parts.href, part, String(value)) ?? this.#parts;
      this.#params = undefined;
    }
    get href() { return this.#parts.href; }
    set href(value) {
      const parts = native.parseUrl(String(value));
      if (!parts) throw new TypeError(`Invalid URL: ${value}`);
      this.#parts = parts;
      this.#params = undefined;
    }
    get origin() { return this.#parts.origin; }
    get protocol() { return this.#parts.protocol; }
    set protocol(value) { this.#set('protocol', value); }
    get username() { return this.#parts.username; }
    set username(value) { this.#set('username', value); }
    get password() { return this.#parts.password; }
    set password(value) { this.#set('password', value); }
    get host() { return this.#parts.host; }
    set host(value) { this.#set('host', value); }
    get hostname() { return this.#parts.hostname; }
    set hostname(value) { this.#set('hostname', value); }
    get port() { return this.#parts.port; }
    set port(value) { this.#set('port', value); }
    get pathname() { return this.#parts.pathname; }
    set pathname(value) { this.#set('pathname', value); }
    get search() { return this.#parts.search; }
    set search(value) { this.#set('search', value); }
    get hash() { return this.#parts.hash; }
    set hash(value) { this.#set('hash', value); }
    get searchParams() {
      return (this.#params ??= paramsOf(this.#parts.search, (query) => {
        this.#parts = native.changeUrl(this.#parts.href, 'search', query) ?? this.#parts;
      }));
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
  }
  tag(URL, 'URL');
  define('URL', URL);

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return native.encodeUtf8(String(text)); }
    encodeInto(text, target) {
      let read = 0;
      let written = 0;
      for (const char of String(text)) {
        const bytes = native.encodeUtf8(char);
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        written += bytes.length;
        read += char.length;
      }
      return { read, written };
    }
  }
  tag(TextEncoder, 'TextEncoder');
  define('TextEncoder', TextEncoder);

  class TextDecoder {
    #rest = [];
    #started = false;
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(label)) {
        throw new RangeError(`the encoding ${label} is not supported; only utf-8 is`);
      }
      this.fatal = Boolean(fatal);
      this.ignoreBOM = Boolean(ignoreBOM);
    }
    get encoding() { return 'utf-8'; }
    decode(bytes = new Uint8Array(), { stream = false } = {}) {
      const decoded = native.decodeUtf8(bytes, this.#rest, Boolean(stream));
      if (decoded === undefined) throw new TypeError('decode needs an ArrayBuffer, a typed array or a DataView');
      let [text, rest, valid] = decoded;
      if (this.fatal && !valid) throw new TypeError('the bytes are not valid utf-8');
      if (!this.ignoreBOM && !this.#started && text.startsWith('\ufeff')) text = text.slice(1);
      this.#started = stream && (this.#started || text.length > 0);
      this.#rest = rest;
      return text;
    }
  }
  tag(TextDecoder, 'TextDecoder');
  define('TextDecoder', TextDecoder);

  const crypto = Object.create(null, {
    [Symbol.toStringTag]: { value: 'Crypto' },
    getRandomValues: { value: (array) => native.fillRandom(array), enumerable: true },
    randomUUID: { value: () => native.randomUuid(), enumerable: true },
  });
  define('crypto', crypto);

  define('performance', Object.create(null, {
    [Symbol.toStringTag]: { value: 'Performance' },
    now: { value: () => native.elapsed(), enumerable: true },
    timeOrigin: { get: () => native.started(), enumerable: true },
  }));

  define('structuredClone', function structuredClone(value) {
    try {
      return native.clone(value);
    } catch (error) {
      throw new DOMException(`the value can't be cloned: ${error.message}`, 'DataCloneError');
    }
  });
  define('self', globalThis);
  define('setImmediate', (callback, ...values) => setTimeout(callback, 0, ...values));
  define('clearImmediate', (id) => clearTimeout(id));

  class Event {
    #canceled = false;
    constructor(type, { cancelable = false } = {}) {
      this.type = String(type);
      this.cancelable = Boolean(cancelable);
      this.target = null;
      this.currentTarget = null;
      this.timeStamp = native.elapsed();
    }
    get defaultPrevented() { return this.#canceled; }
    preventDefault() { this.#canceled = this.cancelable; }
    stopPropagation() {}
    stopImmediatePropagation() { this.stopped = true; }
  }
  tag(Event, 'Event');
  define('Event', Event);

  class EventTarget {
    #listeners = [];
    addEventListener(type, callback, options) {
      const { once = false, signal } = typeof options === 'object' && options !== null ? options : {};
      if (callback == null || signal?.aborted) return;
      if (this.#listeners.some((known) => known.type === String(type) && known.callback === callback)) return;
      this.#listeners.push({ type: String(type), callback, once });
      signal?.addEventListener('abort', () => this.removeEventListener(type, callback));
    }
    removeEventListener(type, callback) {
      this.#listeners = this.#listeners.filter((known) => known.type !== String(type) || known.callback !== callback);
    }
    dispatchEvent(event) {
      event.target = event.currentTarget = this;
      const call = (callback) => {
        try {
          if (typeof callback === 'function') callback.call(this, event);
          else callback.handleEvent(event);
        } catch (error) {
          // As an exception in a timer: it ends the run.
          queueMicrotask(() => { throw error; });
        }
      };
      const handler = this[`on${event.type}`];
      if (typeof handler === 'function') call(handler);
      for (const { type, callback, once } of [...this.#listeners]) {
        if (event.stopped) break;
        if (type !== event.type) continue;
        if (once) this.removeEventListener(type, callback);
        call(callback);
      }
      return !event.defaultPrevented;
    }
  }
  tag(EventTarget, 'EventTarget');
  define('EventTarget', EventTarget);

  const key = {};
  let abort;
  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    onabort = null;
    constructor(given) {
      super();
      if (given !== key) throw new TypeError('use new AbortController().signal');
    }
    static {
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
        signal.dispatchEvent(new Event('abort'));
      };
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static abort(reason) {
      const signal = new AbortSignal(key);
      abort(signal, reason);
      return signal;
    }
    static timeout(delay) {
      const signal = new AbortSignal(key);
      setTimeout(() => abort(signal, new DOMException('The operation timed out', 'TimeoutError')), delay);
      return signal;
    }
    static any(signals) {
      const any = new AbortSignal(key);
      for (const signal of signals) {
        if (signal.aborted) abort(any, signal.reason);
        else signal.addEventListener('abort', () => abort(any, signal.reason), { once: true });
      }
      return any;
    }
  }
  tag(AbortSignal, 'AbortSignal');
  define('AbortSignal', AbortSignal);

  class AbortController {
    #signal = new AbortSignal(key);
    get signal() { return this.#signal; }
    abort(reason) { abort(this.#signal, reason); }
  }
  tag(AbortController, 'AbortController');
  define('AbortController', AbortController);
})
