import ts from 'typescript';

/** A source file. The path is relative to the root folder, with forward slashes. */
interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** Attributes and properties that people see, or that a screen reader reads. */
const TEXT_NAMES = new Set([
  ...['alt', 'aria-description', 'aria-label', 'aria-placeholder', 'aria-roledescription', 'aria-valuetext'],
  ...['description', 'empty', 'error', 'hint', 'intro', 'label', 'placeholder', 'submit', 'text', 'title'],
  'warning',
]);
/** Attributes and properties whose values may look like texts, but are not for people to read. */
const CODE_NAMES = new Set([
  ...['aria-keyshortcuts', 'class', 'code', 'd', 'href', 'id', 'key', 'path', 'style', 'to', 'viewBox'],
]);

const LETTER = /\p{L}/u;
/** A word that starts a label, such as `Save`. Identifiers such as `saveAll` and codes such as `USD` do not match. */
const LABEL = /^\p{Lu}\p{Ll}+(?:$|[^\p{L}])/u;
/** Two words with a space between them. */
const WORDS = /^(?=.*\p{Ll}).*\p{L}{2}[,:;]? (?:\p{L}|“)/u;
/** URLs, names of files, markup, and code of several lines. */
const CODE = /^https?:|^[\w./-]+\.\w+$|^\/\S|^<|\n/;
/** The names of keyboard keys, as in `event.key`. */
const KEY = /^(?:Arrow\w+|Control|End|Enter|Escape|Home|Meta|Tab)$/;

/**
 * Returns a message for each text of the dashboard that is outside its message files. Such a text could
 * not be translated.
 */
export function findTextProblems({ path, text }: SourceText): string[] {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const found = new Map<number, string>();
  const report = (node: ts.Node, shown: string) => {
    const start = node.getStart(file);
    const { line } = file.getLineAndCharacterOfPosition(start);
    found.set(start, `${path}:${line + 1} has the text ${JSON.stringify(shown.trim())}`);
  };
  /** Reports the literals that may be the value of an expression. */
  const reportResults = (node: ts.Node | undefined): void => {
    for (const result of resultsOf(node)) {
      const shown = literalText(result);
      if (shown !== undefined && LETTER.test(shown) && !CODE.test(shown)) report(result, shown);
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isJsxText(node)) {
      if (LETTER.test(node.text)) report(node, node.text);
    } else if (ts.isJsxAttribute(node)) {
      if (CODE_NAMES.has(node.name.getText(file))) return;
      if (TEXT_NAMES.has(node.name.getText(file))) reportResults(node.initializer);
    } else if (ts.isJsxExpression(node)) {
      if (!ts.isJsxAttribute(node.parent)) reportResults(node.expression);
    } else if (ts.isPropertyAssignment(node)) {
      if (CODE_NAMES.has(node.name.getText(file))) return;
      if (TEXT_NAMES.has(node.name.getText(file))) reportResults(node.initializer);
    } else if (ts.isCallExpression(node) && node.expression.getText(file) === 'toast') {
      reportResults(node.arguments[0]);
    } else if (ts.isNewExpression(node)) {
      const name = node.expression.getText(file);
      // A plain `Error` that is thrown with a literal text reports a bug to developers. Users see the messages of other
      // errors, such as those of the API.
      if (name.endsWith('Error') && !(name === 'Error' && ts.isThrowStatement(node.parent)))
        reportResults(node.arguments?.[0]);
      if (name === 'Error') return;
    } else {
      const shown = literalText(node);
      if (shown !== undefined && isTextLike(shown) && !isCompared(node)) report(node, shown);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...found.values()];
}

/** Returns the parts that may form the value of an expression: the branches of a condition, the operands of a sum. */
function resultsOf(node: ts.Node | undefined): readonly ts.Node[] {
  if (node === undefined) return [];
  if (ts.isJsxExpression(node) || ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
    return resultsOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...resultsOf(node.whenTrue), ...resultsOf(node.whenFalse)];
  if (!ts.isBinaryExpression(node)) return [node];
  if (isComparison(node)) return [];
  const isAnd = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
  return [...(isAnd ? [] : resultsOf(node.left)), ...resultsOf(node.right)];
}

/** The text of a literal. For a template, the text around its values. */
function literalText(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((part) => part.text).join('…');
}

function isTextLike(shown: string): boolean {
  return !KEY.test(shown) && !CODE.test(shown) && (LABEL.test(shown) || WORDS.test(shown));
}

/** Whether the literal is compared with a value instead of shown. */
function isCompared({ parent }: ts.Node): boolean {
  return ts.isCaseClause(parent) || (ts.isBinaryExpression(parent) && isComparison(parent));
}

function isComparison({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return (
    kind === ts.SyntaxKind.EqualsEqualsEqualsToken ||
    kind === ts.SyntaxKind.ExclamationEqualsEqualsToken ||
    kind === ts.SyntaxKind.InKeyword
  );
}
