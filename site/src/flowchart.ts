import { Graph, layout } from '@dagrejs/dagre';

/**
 * Draws the flowcharts of the pages as SVG. Mermaid itself would add 256 MB to the installation and 0.6 MB of script to
 * each page with a diagram. GitHub draws the same text with Mermaid.
 */

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: readonly string[];
  readonly isDotted: boolean;
}

interface Flowchart {
  readonly direction: 'LR' | 'TB';
  /** The lines of each node's text, by id. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  readonly edges: readonly Edge[];
}

const NODE = /^(\w+)(?:\[([^\]]+)\])?$/;
const EDGE = /^(.+?) +(-->|-\.->|-\. (.+?) \.->)(?:\|([^|]+)\|)? +(.+)$/;

/** Parses the part of Mermaid's syntax that the pages use: `a[Text] -->|label| b`, `-.->`, and `-. label .->`. */
function parseFlowchart(text: string): Flowchart {
  const [head = '', ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const [, direction] = /^flowchart (LR|TB)$/.exec(head) ?? [];
  if (direction !== 'LR' && direction !== 'TB') {
    throw new Error(`A diagram must start with "flowchart LR" or "flowchart TB", got "${head}"`);
  }
  const nodes = new Map<string, readonly string[]>();
  const addNode = (code: string, line: string): string => {
    const [, id, label] = NODE.exec(code) ?? [];
    if (id === undefined) throw new Error(`The line of the diagram is not supported: "${line}"`);
    if (label !== undefined || !nodes.has(id)) nodes.set(id, linesOf(label ?? id));
    return id;
  };
  const edges = lines
    .filter((line) => line !== '')
    .map((line): Edge => {
      const [, from, arrow = '', inner, label, to] = EDGE.exec(line) ?? [];
      if (from === undefined || to === undefined) {
        throw new Error(`The line of the diagram is not supported: "${line}"`);
      }
      return {
        from: addNode(from, line),
        to: addNode(to, line),
        label: linesOf(inner ?? label ?? ''),
        isDotted: arrow.startsWith('-.'),
      };
    });
  return { direction, nodes, edges };
}

function linesOf(label: string): string[] {
  return label === '' ? [] : label.split(/<br ?\/?>/);
}

const LINE_HEIGHT = 18;
const CHARACTER_WIDTH = 7;
const PADDING = { x: 12, y: 9 };

/** The size of a text, as an estimate for a proportional font of 13 pixels. */
function sizeOf(lines: readonly string[], padding = { x: 0, y: 0 }) {
  const longest = Math.max(0, ...lines.map((line) => line.length));
  return {
    width: Math.ceil(longest * CHARACTER_WIDTH) + 2 * padding.x,
    height: lines.length * LINE_HEIGHT + 2 * padding.y,
  };
}

/** The width of a page's text. A wider chart would be too small to read. */
const MAX_WIDTH = 620;

function layOut({ nodes, edges }: Flowchart, direction: Flowchart['direction']): Graph {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 28, ranksep: 28, edgesep: 16, marginx: 2, marginy: 2 });
  for (const [id, lines] of nodes) graph.setNode(id, { ...sizeOf(lines, PADDING) });
  for (const [index, { from, to, label }] of edges.entries()) {
    graph.setEdge(from, to, { ...sizeOf(label, { x: 4, y: 2 }), labelpos: 'c' }, String(index));
  }
  layout(graph);
  return graph;
}

/** Renders an SVG, whose colors the style sheet sets. A chart that is too wide is drawn from top to bottom. */
export function renderFlowchart(text: string): string {
  const chart = parseFlowchart(text);
  const { nodes, edges } = chart;
  const drawn = layOut(chart, chart.direction);
  const graph = (drawn.graph().width ?? 0) > MAX_WIDTH ? layOut(chart, 'TB') : drawn;
  const { width = 0, height = 0 } = graph.graph();
  const boxes = [...nodes].map(([id, lines]) => {
    const { x, y, width: w, height: h } = graph.node(id);
    const rect = `<rect x="${x - w / 2}" y="${y - h / 2}" width="${w}" height="${h}" rx="8"/>`;
    return `<g class="node">${rect}${textAt(x, y, lines)}</g>`;
  });
  const arrows = edges.map(({ from, to, label, isDotted }, index) => {
    const { points, x = 0, y = 0 } = graph.edge(from, to, String(index));
    const path = points
      .map((point: { x: number; y: number }, at: number) => `${at === 0 ? 'M' : 'L'}${point.x} ${point.y}`)
      .join('');
    const line = `<path class="${isDotted ? 'edge dotted' : 'edge'}" d="${path}" marker-end="url(#arrow)"/>`;
    return line + (label.length === 0 ? '' : `<g class="label">${textAt(x, y, label)}</g>`);
  });
  const description = edges.map(
    ({ from, to }) => `${nodes.get(from)?.join(' ')} → ${nodes.get(to)?.join(' ')}`,
  );
  return `<div class="flowchart"><svg role="img" aria-label="${escapeXml(description.join(', '))}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker></defs>${arrows.join('')}${boxes.join('')}</svg></div>\n`;
}

function textAt(x: number, y: number, lines: readonly string[]): string {
  const top = y - ((lines.length - 1) * LINE_HEIGHT) / 2;
  const spans = lines.map(
    (line, index) => `<tspan x="${x}" y="${top + index * LINE_HEIGHT}">${escapeXml(line)}</tspan>`,
  );
  return `<text>${spans.join('')}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
