// What other engines bring along. Runs once, before the snapshot. `native` has functions in Rust.
(function (native) {
  'use strict';
  const define = (holder, name, value) =>
    Object.defineProperty(holder, name, { value, writable: true, enumerable: false, configurable: true });

  // No global elsewhere.
  delete globalThis.TypedArray;
  define(globalThis, 'queueMicrotask', native.queueMicrotask);
  define(Error, 'captureStackTrace', native.captureStackTrace);
  if (!Error.isError) define(Error, 'isError', native.isError);

  define(Array.prototype, 'sort', native.sort);
  define(Array.prototype, 'toSorted', native.toSorted);

  const { trunc } = Math;
  const { repeated } = native;
  define(String.prototype, 'repeat', { repeat(count) {
    if (this === undefined || this === null) throw new TypeError('repeat needs a text');
    const text = `${this}`;
    const times = trunc(+count) || 0;
    if (times < 0 || times === Infinity) throw new RangeError('repeat needs a finite count of 0 or more');
    return repeated(text, text === '' ? 0 : times);
  } }.repeat);

  const codes = {
    IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
    NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10,
    InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14,
    InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20,
    URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25,
  };
  class DOMException extends Error {
    #name;
    constructor(message = '', options = 'Error') {
      super(message);
      const isObject = typeof options === 'object' && options !== null;
      this.#name = String(isObject ? (options.name ?? 'Error') : options);
      if (isObject && 'cause' in options) define(this, 'cause', options.cause);
      define(this, 'name', this.#name);
    }
    get code() { return codes[this.#name] ?? 0; }
  }
  Object.defineProperty(DOMException.prototype, Symbol.toStringTag, { value: 'DOMException', configurable: true });
  define(globalThis, 'DOMException', DOMException);

  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const values = new Map([...digits].map((digit, value) => [digit, value]));
  const invalid = (what) => new DOMException(what, 'InvalidCharacterError');
  define(globalThis, 'btoa', function btoa(data) {
    const text = String(data);
    let out = '';
    for (let at = 0; at < text.length; at += 3) {
      const bytes = [at, at + 1, at + 2].map((index) => (index < text.length ? text.charCodeAt(index) : 0));
      if (bytes.some((byte) => byte > 255)) throw invalid('btoa takes characters up to U+00FF only');
      const word = (bytes[0] << 16) | (bytes[1] << 8) | bytes[2];
      const left = text.length - at;
      out += digits[word >> 18] + digits[(word >> 12) & 63];
      out += left > 1 ? digits[(word >> 6) & 63] : '=';
      out += left > 2 ? digits[word & 63] : '=';
    }
    return out;
  });
  define(globalThis, 'atob', function atob(data) {
    let text = String(data).replace(/[\t\n\f\r ]/g, '');
    if (text.length % 4 === 0) text = text.replace(/={1,2}$/, '');
    if (text.length % 4 === 1) throw invalid('the text is not base64');
    let out = '';
    let word = 0;
    let bits = 0;
    for (const digit of text) {
      const value = values.get(digit);
      if (value === undefined) throw invalid('the text is not base64');
      word = ((word << 6) | value) & 0xffffff;
      bits += 6;
      if (bits >= 8) {
        bits -= 8;
        out += String.fromCharCode((word >> bits) & 255);
      }
    }
    return out;
  });

  // Copies of built-in objects for `structuredClone`.
  const { apply } = Reflect;
  const getter = (prototype, key) => Object.getOwnPropertyDescriptor(prototype, key).get;
  const { getTime } = Date.prototype;
  const [source, flags] = ['source', 'flags'].map((name) => getter(RegExp.prototype, name));
  const { slice } = ArrayBuffer.prototype;
  const tag = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
  const classes = Object.create(null);
  for (const name of ['Int8', 'Uint8', 'Uint8Clamped', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float16', 'Float32',
    'Float64', 'BigInt64', 'BigUint64']) {
    if (globalThis[`${name}Array`]) classes[`${name}Array`] = globalThis[`${name}Array`];
  }
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  const { sort, toSorted } = typed;
  const sortTyped = native.sort;
  define(typed, 'sort', { sort(compare) {
    const isTyped = apply(tag, this, []) !== undefined;
    return apply(compare === undefined || !isTyped ? sort : sortTyped, this, [compare]);
  } }.sort);
  define(typed, 'toSorted', { toSorted(compare) {
    const name = apply(tag, this, []);
    if (compare === undefined || name === undefined) return apply(toSorted, this, [compare]);
    return apply(sortTyped, new classes[name](this), [compare]);
  } }.toSorted);
  const { Date: Dates, RegExp: RegExps } = globalThis;
  return {
    __proto__: null,
    date: (value) => new Dates(apply(getTime, value, [])),
    regexp: (value) => new RegExps(apply(source, value, []), apply(flags, value, [])),
    buffer: (value) => apply(slice, value, [0]),
    array: (value) => new classes[apply(tag, value, [])](value),
  };
})
