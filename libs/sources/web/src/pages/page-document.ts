// The part of the DOM that page.worker.ts, Readability and turndown need. With a complete one (linkedom) a page took two
// and a half times the CPU time, and with one whose nodes have child lists a wide page takes ten times as much (ADR 75). It
// behaves like linkedom, even where browsers differ: elements that a page omits are not added, and a new attribute is
// inserted before the others. Places where a word may break (<wbr>, soft hyphens, spaces without width) are left out: with
// them an address or a name would fall into parts.
import { compile } from 'css-select';
import { Parser } from 'htmlparser2';

/** Elements whose text is serialised without escaping. */
const RAW_TEXT = new Set(['SCRIPT', 'STYLE', 'TEXTAREA', 'TITLE']);
const VOID = /^(?:area|base|br|col|embed|hr|img|input|keygen|link|menuitem|meta|param|source|track|wbr)$/i;
/** Attributes that are serialised without a value when it is empty. */
const BOOLEAN_ATTRIBUTES = new Set(
  (
    'allowfullscreen allowpaymentrequest async autofocus autoplay checked class contenteditable controls default defer ' +
    'disabled draggable formnovalidate hidden id ismap itemscope loop multiple muted nomodule novalidate open playsinline ' +
    'readonly required reversed selected style truespeed'
  ).split(' '),
);
const WORD_BREAKS = /[\u00ad\u200b]/g;
const TOO_MANY = 'The page has too many elements.';
/**
 * Maximum number of attributes per element: Readability copies those of some elements one by one. Typical: ten, with
 * frameworks a few dozen.
 */
const ATTRIBUTES_MAX = 200;
/** Maximum number of cached names; HTML has about 140. */
const NAMES_MAX = 500;
const upperCaseNames: Record<string, string> = Object.create(null) as Record<string, string>;
let namesKept = 0;

/** Returns the same string instance for a name each time, so that comparing names compares pointers. */
function upperCaseOf(name: string): string {
  const known = upperCaseNames[name];
  if (known !== undefined) return known;
  const upper = name.toUpperCase();
  if (namesKept < NAMES_MAX) {
    namesKept += 1;
    upperCaseNames[name] = upper;
  }
  return upper;
}

export interface PageDocumentLimits {
  elementsMax: number;
  depthMax: number;
}

/** Node of a page. Its links to other nodes are fields, so that each step of a traversal is one load. */
export abstract class PageNode {
  abstract readonly nodeType: number;
  abstract readonly nodeName: string;
  parentNode: PageParent | null = null;
  previousSibling: PageNode | null = null;
  nextSibling: PageNode | null = null;
  firstChild: PageNode | null = null;
  readonly ownerDocument: PageDocument | null;

  constructor(ownerDocument: PageDocument | null) {
    this.ownerDocument = ownerDocument;
  }

  abstract get textContent(): string;

  /** Returns its HTML. */
  abstract toString(): string;

  get parentElement(): PageElement | null {
    return this.parentNode instanceof PageElement ? this.parentNode : null;
  }

  get nextElementSibling(): PageElement | null {
    let next = this.nextSibling;
    while (next && next.nodeType !== 1) next = next.nextSibling;
    return next as PageElement | null;
  }

  get previousElementSibling(): PageElement | null {
    let previous = this.previousSibling;
    while (previous && previous.nodeType !== 1) previous = previous.previousSibling;
    return previous as PageElement | null;
  }

  get childNodes(): PageNode[] {
    const nodes: PageNode[] = [];
    for (let child = this.firstChild; child; child = child.nextSibling) nodes.push(child);
    return nodes;
  }

  remove(): void {
    const { parentNode, previousSibling, nextSibling } = this;
    if (!parentNode) return;
    if (previousSibling) previousSibling.nextSibling = nextSibling;
    else parentNode.firstChild = nextSibling;
    if (nextSibling) nextSibling.previousSibling = previousSibling;
    else parentNode.lastChild = previousSibling;
    this.parentNode = this.previousSibling = this.nextSibling = null;
  }

  replaceWith(node: PageNode): void {
    const { parentNode, nextSibling } = this;
    this.remove();
    parentNode?.insertBefore(node, nextSibling);
  }
}

/** Text node or comment. */
export class PageTextNode extends PageNode {
  readonly nodeType: 3 | 8;
  data: string;

  constructor(ownerDocument: PageDocument, data: string, nodeType: 3 | 8 = 3) {
    super(ownerDocument);
    this.nodeType = nodeType;
    this.data = data;
  }

  get nodeName(): string {
    return this.nodeType === 3 ? '#text' : '#comment';
  }

  get nodeValue(): string {
    return this.data;
  }

  get textContent(): string {
    return this.data;
  }

  /** Returns null: turndown's plugin calls this on all children of a table head. */
  getAttribute(): null {
    return null;
  }

  override toString(): string {
    return this.nodeType === 3 ? escapeText(this.data) : `<!--${this.data}-->`;
  }
}

const ESCAPES: Record<string, string> = { '\xA0': '&#160;', '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeText(text: string): string {
  return text.replace(/[<>&\xA0]/g, (character) => ESCAPES[character]!);
}

/** Node with children: an element or a document. */
abstract class PageParent extends PageNode {
  lastChild: PageNode | null = null;

  get children(): PageElement[] {
    const elements: PageElement[] = [];
    for (let child = this.firstElementChild; child; child = child.nextElementSibling) elements.push(child);
    return elements;
  }

  get firstElementChild(): PageElement | null {
    const { firstChild } = this;
    return firstChild === null || firstChild.nodeType === 1
      ? (firstChild as PageElement | null)
      : firstChild.nextElementSibling;
  }

  get lastElementChild(): PageElement | null {
    const { lastChild } = this;
    return lastChild === null || lastChild.nodeType === 1
      ? (lastChild as PageElement | null)
      : lastChild.previousElementSibling;
  }

  get textContent(): string {
    let text = '';
    for (let node = nodeAfter(this, this); node; node = nodeAfter(node, this))
      if (node.nodeType === 3) text += (node as PageTextNode).data;
    return text;
  }

  /** Returns the HTML of its content. */
  protected contentHTML(): string {
    let html = '';
    for (let child = this.firstChild; child; child = child.nextSibling) html += child.toString();
    return html;
  }

  appendChild(node: PageNode): PageNode {
    return this.insertBefore(node, null);
  }

  insertBefore(node: PageNode, before: PageNode | null): PageNode {
    if (node === before) return node;
    node.remove();
    const previous = before ? before.previousSibling : this.lastChild;
    node.parentNode = this;
    node.previousSibling = previous;
    node.nextSibling = before;
    if (previous) previous.nextSibling = node;
    else this.firstChild = node;
    if (before) before.previousSibling = node;
    else this.lastChild = node;
    return node;
  }

  removeChild(node: PageNode): PageNode {
    node.remove();
    return node;
  }

  replaceChild(node: PageNode, replaced: PageNode): PageNode {
    replaced.replaceWith(node);
    return replaced;
  }

  /** Returns the elements with this name, as given or in upper case. */
  getElementsByTagName(name: string): PageElement[] {
    const found: PageElement[] = [];
    for (let node = nodeAfter(this, this); node; node = nodeAfter(node, this))
      if (node.nodeType === 1 && ((node as PageElement).localName === name || node.nodeName === name))
        found.push(node as PageElement);
    return found;
  }

  querySelector(selector: string): PageElement | null {
    return findElements(this, selector, 1)[0] ?? null;
  }

  querySelectorAll(selector: string): PageElement[] {
    return findElements(this, selector, Infinity);
  }
}

/** Returns the next node in document order, within a root. */
function nodeAfter(node: PageNode, root: PageNode): PageNode | null {
  return node.firstChild ?? nodeBehind(node, root);
}

/** Returns the next node after a whole subtree. */
function nodeBehind(node: PageNode, root: PageNode): PageNode | null {
  let last: PageNode = node;
  while (last !== root) {
    if (last.nextSibling) return last.nextSibling;
    last = last.parentNode!;
  }
  return null;
}

/** Finds elements, except within templates. */
function findElements(root: PageParent, selector: string, max: number): PageElement[] {
  const matches = matcherOf(selector);
  const found: PageElement[] = [];
  let node = nodeAfter(root, root);
  while (node && found.length < max) {
    const element: PageElement | null = node.nodeType === 1 ? (node as PageElement) : null;
    if (element && matches(element)) found.push(element);
    node = element?.nodeName === 'TEMPLATE' ? nodeBehind(node, root) : nodeAfter(node, root);
  }
  return found;
}

type Matcher = (element: PageElement) => boolean;
/** Compiled selectors. All of them come from code, and none from a page. */
const matchers = new Map<string, Matcher>();

function matcherOf(selector: string): Matcher {
  const known = matchers.get(selector);
  if (known) return known;
  const matcher = /^\w+(,\s*\w+)*$/.test(selector) ? matchNames(selector) : matchSelector(selector);
  matchers.set(selector, matcher);
  return matcher;
}

/** Creates a fast matcher for the most common selectors: one of several element names. */
function matchNames(selector: string): Matcher {
  const names = new Set(selector.split(/,\s*/).map(upperCaseOf));
  return ({ nodeName }) => names.has(nodeName);
}

function matchSelector(selector: string): Matcher {
  return compile<PageNode, PageElement>(selector, {
    cacheResults: false,
    adapter: {
      isTag: (node): node is PageElement => node.nodeType === 1,
      getName: (element) => element.nodeName.toLowerCase(),
      getAttributeValue: (element, name) => element.getAttribute(name) ?? undefined,
      hasAttrib: (element, name) => element.hasAttribute(name),
      getChildren: ({ childNodes }) => childNodes,
      getParent: ({ parentElement }) => parentElement,
      getSiblings: ({ parentNode }) => parentNode?.childNodes ?? [],
      getText: ({ textContent }) => textContent,
      existsOne: (test, nodes) => nodes.some((node) => node.nodeType === 1 && test(node as PageElement)),
      findAll: () => [],
      findOne: () => null,
      removeSubsets: (nodes) => nodes,
    },
  });
}

export class PageAttribute {
  readonly name: string;
  value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.value = value;
  }

  cloneNode(): PageAttribute {
    return new PageAttribute(this.name, this.value);
  }

  toString(): string {
    if (this.value === '' && BOOLEAN_ATTRIBUTES.has(this.name)) return this.name;
    return `${this.name}="${this.value.replaceAll('"', '&quot;')}"`;
  }
}

export class PageElement extends PageParent {
  readonly nodeType = 1;
  readonly nodeName: string;
  readonly localName: string;
  /** True for an SVG element or a descendant of one. */
  readonly isSvg: boolean;
  attributes: PageAttribute[] = [];

  constructor(ownerDocument: PageDocument, localName: string, isSvg = false) {
    super(ownerDocument);
    this.nodeName = upperCaseOf(localName);
    this.localName = localName;
    this.isSvg = isSvg;
  }

  get tagName(): string {
    return this.nodeName;
  }

  get id(): string {
    return this.getAttribute('id') ?? '';
  }

  set id(value: string) {
    this.setAttribute('id', value);
  }

  get className(): string {
    return this.isSvg ? '' : (this.getAttribute('class') ?? '');
  }

  set className(value: string) {
    this.setAttribute('class', value);
  }

  /** Returns the properties of the element's inline style that Readability reads. */
  get style(): { display?: string; visibility?: string } | null {
    const style = this.getAttribute('style');
    if (!style) return null;
    const rules = style.split(';').map((rule) => rule.split(/:(.*)/s));
    return Object.fromEntries(
      rules.map(([name = '', value = '']): [string, string] => [name.trim(), value.trim()]),
    );
  }

  get src(): string {
    return this.nodeName === 'IMG' ? (this.getAttribute('src') ?? '') : '';
  }

  get srcset(): string {
    return this.nodeName === 'IMG' ? (this.getAttribute('srcset') ?? '') : '';
  }

  get type(): string | null {
    return this.nodeName === 'INPUT' ? this.getAttribute('type') : null;
  }

  /** Returns the rows of a table, from which turndown determines whether it has a head. */
  get rows(): PageElement[] {
    return this.querySelectorAll('tr').filter((row) => row.closest('table') === this);
  }

  get innerHTML(): string {
    return RAW_TEXT.has(this.nodeName) ? this.textContent : this.contentHTML();
  }

  set innerHTML(html: string) {
    while (this.firstChild) this.firstChild.remove();
    parseInto(this, this.ownerDocument!, html);
  }

  get outerHTML(): string {
    return this.toString();
  }

  override toString(): string {
    const { localName, nodeName } = this;
    let opening = `<${localName}`;
    for (const attribute of this.attributes) opening += ` ${attribute.toString()}`;
    if (RAW_TEXT.has(nodeName)) return `${opening}>${this.textContent}</${localName}>`;
    if (this.firstChild) return `${opening}>${this.contentHTML()}</${localName}>`;
    if (this.isSvg) return `${opening} />`;
    return VOID.test(localName) ? `${opening}>` : `${opening}></${localName}>`;
  }

  getAttribute(name: string): string | null {
    return this.getAttributeNode(name)?.value ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.getAttributeNode(name) !== null;
  }

  setAttribute(name: string, value: string): void {
    const attribute = this.getAttributeNode(name);
    if (attribute) attribute.value = value;
    else this.attributes = [new PageAttribute(name, value), ...this.attributes];
  }

  setAttributeNode({ name, value }: PageAttribute): void {
    this.removeAttribute(name);
    this.setAttribute(name, value);
  }

  removeAttribute(name: string): void {
    if (this.hasAttribute(name)) this.attributes = this.attributes.filter((each) => each.name !== name);
  }

  matches(selector: string): boolean {
    return matcherOf(selector)(this);
  }

  closest(selector: string): PageElement | null {
    const matches = matcherOf(selector);
    if (matches(this)) return this;
    let { parentElement } = this;
    while (parentElement && !matches(parentElement)) ({ parentElement } = parentElement);
    return parentElement;
  }

  private getAttributeNode(name: string): PageAttribute | null {
    const { attributes } = this;
    for (let at = 0; at < attributes.length; at += 1)
      if (attributes[at]!.name === name) return attributes[at]!;
    return null;
  }
}

export class PageDocument extends PageParent {
  readonly nodeType = 9;
  readonly nodeName = '#document';
  readonly documentURI = undefined;

  constructor() {
    super(null);
  }

  get documentElement(): PageElement | null {
    return this.firstElementChild;
  }

  get baseURI(): string | null {
    return this.querySelector('base')?.getAttribute('href') ?? null;
  }

  /** Returns its head, which is created when missing. @throws TypeError when it has no elements */
  get head(): PageElement {
    const root = this.documentElement!;
    const first = root.firstElementChild;
    if (first?.nodeName === 'HEAD') return first;
    return root.insertBefore(this.createElement('head'), root.firstChild) as PageElement;
  }

  /** Returns its body, which is created when there is none after its head. */
  get body(): PageElement {
    const { head } = this;
    const next = head.nextElementSibling;
    if (next?.nodeName === 'BODY') return next;
    return head.parentNode!.insertBefore(this.createElement('body'), head.nextSibling) as PageElement;
  }

  get title(): string {
    return this.head.getElementsByTagName('title')[0]?.textContent ?? '';
  }

  createElement(name: string): PageElement {
    return new PageElement(this, name);
  }

  createTextNode(text: string): PageTextNode {
    return new PageTextNode(this, text);
  }

  override toString(): string {
    return this.contentHTML();
  }
}

/** Returns the text nodes of a subtree in document order. */
export function* textsOf(root: PageNode): Generator<PageTextNode> {
  for (let node = nodeAfter(root, root); node; node = nodeAfter(node, root))
    if (node.nodeType === 3) yield node as PageTextNode;
}

/**
 * Parses the document of a page.
 * @throws RangeError when it has too many elements, or nests them too deeply
 */
export function parseDocument(html: string, limits?: PageDocumentLimits): PageDocument {
  if (limits) checkSize(html, limits);
  const document = new PageDocument();
  parseInto(document, document, html, limits?.depthMax);
  return document;
}

/** Counts elements with the same parser, without creating them. @throws RangeError when there are too many */
function checkSize(html: string, { elementsMax, depthMax }: PageDocumentLimits): void {
  // Every element starts with this character, so most pages need no further check.
  let marks = 0;
  for (let at = html.indexOf('<'); at !== -1 && marks <= elementsMax; at = html.indexOf('<', at + 1))
    marks += 1;
  if (marks <= elementsMax) return;
  let elements = 0;
  let depth = 0;
  const parser = new Parser({
    onopentag: () => {
      elements += 1;
      depth += 1;
      if (elements > elementsMax || depth > depthMax) throw new RangeError(TOO_MANY);
    },
    onclosetag: () => {
      depth -= 1;
    },
  });
  parser.end(html);
}

function parseInto(root: PageParent, document: PageDocument, html: string, depthMax = Infinity): void {
  let parent = root;
  let depth = 0;
  const openElement = (name: string, attributes: Record<string, string>): void => {
    if (name === 'wbr') return;
    depth += 1;
    if (depth > depthMax) throw new RangeError(TOO_MANY);
    const isSvg = name === 'svg' || (parent instanceof PageElement && parent.isSvg);
    const element = new PageElement(document, name, isSvg);
    for (const attribute in attributes) {
      if (element.attributes.length === ATTRIBUTES_MAX) break;
      element.attributes.push(new PageAttribute(attribute, attributes[attribute]!));
    }
    parent.appendChild(element);
    parent = element;
  };
  const closeElement = (name: string): void => {
    if (name === 'wbr') return;
    depth -= 1;
    parent = parent.parentNode!;
  };
  const addText = (given: string): void => {
    const text = given.replace(WORD_BREAKS, '');
    const { lastChild } = parent;
    // The parser emits each entity as a separate text.
    if (lastChild instanceof PageTextNode && lastChild.nodeType === 3) lastChild.data += text;
    else parent.appendChild(new PageTextNode(document, text));
  };
  const parser = new Parser({
    onopentag: openElement,
    onclosetag: closeElement,
    ontext: addText,
    oncomment: (text) => parent.appendChild(new PageTextNode(document, text, 8)),
  });
  parser.end(html);
}
