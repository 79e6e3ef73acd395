import { type DefaultTreeAdapterTypes, parse } from 'parse5';

/** The parts of an HTML page that decide whether it loads the tracker. */
export interface ParsedPage {
  /** The attributes of each script tag that has a `src`. */
  readonly scripts: readonly ReadonlyMap<string, string>[];
  /** The policies in meta tags. */
  readonly policies: readonly string[];
}

export function parsePage(html: string): ParsedPage {
  const scripts: ReadonlyMap<string, string>[] = [];
  const policies: string[] = [];
  for (const { tagName, attributes } of elementsOf(parse(html))) {
    if (tagName === 'script' && attributes.has('src')) scripts.push(attributes);
    if (tagName === 'meta' && attributes.get('http-equiv')?.toLowerCase() === 'content-security-policy') {
      policies.push(attributes.get('content') ?? '');
    }
  }
  return { scripts, policies };
}

function* elementsOf(root: DefaultTreeAdapterTypes.ParentNode) {
  // Recursion could overflow the call stack on deeply nested pages, so use an array as the stack.
  const waiting: DefaultTreeAdapterTypes.ChildNode[] = root.childNodes.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!('tagName' in node)) continue;
    yield {
      tagName: node.tagName,
      attributes: new Map(node.attrs.map(({ name, value }) => [name, value])),
    };
    waiting.push(...node.childNodes.toReversed());
  }
}
