// @ts-check
// A small virtual DOM. Text is only ever text; elements keep their focus and state when a view is drawn again.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["checked", "value", "disabled", "hidden", "indeterminate", "open"]);

/** @type {WeakMap<Node, {key: string | null, props: Record<string, any>}>} */
const drawn = new WeakMap();

/**
 * An element to draw.
 * @param {string} tag
 * @param {Record<string, any> | null} [props] attributes; `on…` are listeners, `key` identifies the element in a list
 * @param {...Child} children
 * @returns {Vnode}
 */
export function h(tag, props, ...children) {
  const { key = null, ...rest } = props ?? {};
  return { tag, key, props: rest, children: flat(children) };
}

/**
 * @param {ReadonlyArray<Child>} children
 * @returns {(Vnode | string)[]}
 */
function flat(children) {
  return children.flat(9).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "number" ? String(child) : /** @type {Vnode | string} */ (child)));
}

/**
 * Makes the children of a node those that are wanted, reusing what is there.
 * @param {Node} parent
 * @param {ReadonlyArray<Child>} children
 */
export function patch(parent, children) {
  const keyed = new Map([...parent.childNodes].map((node) => [drawn.get(node)?.key, node]));
  let cursor = parent.firstChild;
  for (const wanted of flat(children)) {
    const key = typeof wanted === "string" ? null : wanted.key;
    const candidate = key === null ? cursor : keyed.get(key);
    const node = candidate && fits(candidate, wanted) ? candidate : create(wanted);
    // Before it is inserted, so that a custom element has its attributes when it is connected.
    if (typeof wanted !== "string") update(/** @type {Element} */ (node), wanted);
    else if (node.nodeValue !== wanted) node.nodeValue = wanted;
    if (node === cursor) cursor = node.nextSibling;
    else parent.insertBefore(node, cursor);
  }
  while (cursor) {
    const next = cursor.nextSibling;
    parent.removeChild(cursor);
    cursor = next;
  }
}

/**
 * @param {Node} node
 * @param {Vnode | string} wanted
 */
function fits(node, wanted) {
  if (typeof wanted === "string") return node.nodeType === Node.TEXT_NODE;
  return node instanceof Element && node.localName === wanted.tag && (drawn.get(node)?.key ?? null) === wanted.key;
}

/** @param {Vnode | string} wanted */
function create(wanted) {
  if (typeof wanted === "string") return document.createTextNode(wanted);
  const isSvg = wanted.tag === "svg" || wanted.tag === "path";
  const node = isSvg ? document.createElementNS(SVG, wanted.tag) : document.createElement(wanted.tag);
  drawn.set(node, { key: wanted.key, props: {} });
  return node;
}

/**
 * @param {Element} node
 * @param {Vnode} wanted
 */
function update(node, wanted) {
  const before = drawn.get(node)?.props ?? {};
  for (const name of Object.keys({ ...before, ...wanted.props })) {
    const value = wanted.props[name];
    const target = /** @type {any} */ (node);
    if (name.startsWith("on")) target[name.toLowerCase()] = value ?? null;
    else if (PROPERTIES.has(name)) {
      if (target[name] !== (value ?? false)) target[name] = value ?? false;
    } else if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : String(value));
  }
  drawn.set(node, { key: wanted.key, props: wanted.props });
  patch(node, wanted.children);
}
