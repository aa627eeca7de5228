/**
 * Finds parameters that a contract documents and the handler of their operation never reads. Such a parameter
 * does nothing: whoever sends the filter `garden` gets a list of everything, and no test of the contract is
 * red.
 *
 * The compiler sees a parameter that the store does not know, where a handler passes all of them on. It does
 * not see one that the handler leaves aside, so this file looks at the source: of each handler that is given
 * to `implement`, it takes the names that the handler takes out of `path`, `query`, `header` and `cookie`. A
 * part that is passed on as a whole counts as read.
 */
import ts from 'typescript';

/** A parameter that nothing reads. */
export interface UnreadParameter {
  readonly file: ts.SourceFile;
  /** Where the handler stands in the text of the file. */
  readonly position: number;
  readonly sentence: string;
}

const parts = ['path', 'query', 'header', 'cookie'] as const;

/** The names that are read; 'all' if a part is passed on, so that others may read any. */
type Reads = ReadonlySet<string> | 'all';

/** @param files those whose handlers are looked at */
export function unreadParameters(
  program: ts.Program,
  files: readonly ts.SourceFile[] = program.getSourceFiles(),
): UnreadParameter[] {
  const types = program.getTypeChecker();
  return files
    .filter(({ fileName, text }) => !fileName.includes('/node_modules/') && text.includes('implement<'))
    .flatMap((file) =>
      handlersIn(file).flatMap(({ id, given, handler, position }) => {
        const wanted = types.getContextualType(given)?.getProperty(id);
        const signatures = wanted && types.getTypeOfSymbolAtLocation(wanted, given).getCallSignatures();
        const request = signatures?.[0]?.getParameters()[0];
        if (request === undefined) return [];
        const documented = types.getTypeOfSymbolAtLocation(request, handler);
        return parts.flatMap((part) => {
          const values = documented.getProperty(part);
          if (values === undefined) return [];
          const reads = readsOf(handler, part);
          if (reads === 'all') return [];
          return types
            .getTypeOfSymbolAtLocation(values, handler)
            .getProperties()
            .filter(({ name }) => !reads.has(name))
            .map(({ name }) => ({
              file,
              position,
              sentence: `The handler of "${id}" never reads the ${part} parameter "${name}", so it does nothing: use it, or take it out of the contract.`,
            }));
        });
      }),
    );
}

interface Handler {
  readonly id: string;
  /** The handlers together, as `implement` gets them. */
  readonly given: ts.ObjectLiteralExpression;
  readonly handler: ts.MethodDeclaration | ts.FunctionExpression | ts.ArrowFunction;
  readonly position: number;
}

/** The handlers that are written in a call `implement<…>()({ … })`. */
function handlersIn(file: ts.SourceFile): Handler[] {
  const found: Handler[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isCallExpression(node.expression)) {
      const [given] = node.arguments;
      const { expression } = node.expression;
      if (given && ts.isObjectLiteralExpression(given) && ts.isIdentifier(expression)) {
        if (expression.text === 'implement')
          found.push(...given.properties.flatMap((one) => handlerOf(one, given)));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function handlerOf(property: ts.ObjectLiteralElementLike, given: ts.ObjectLiteralExpression): Handler[] {
  const { name } = property;
  if (name === undefined || !(ts.isIdentifier(name) || ts.isStringLiteral(name))) return [];
  const handler = ts.isPropertyAssignment(property) ? property.initializer : property;
  const isWritten =
    ts.isMethodDeclaration(handler) || ts.isFunctionExpression(handler) || ts.isArrowFunction(handler);
  return isWritten ? [{ id: name.text, given, handler, position: name.getStart() }] : [];
}

/** Finds the names that a handler takes out of a part of its request. */
function readsOf({ parameters, body }: Handler['handler'], part: string): Reads {
  const [request] = parameters;
  if (request === undefined || body === undefined) return new Set();
  const ofRequest = takenFrom(request.name, body);
  if (ofRequest === 'all') return 'all';
  const parts = ofRequest.filter(({ member }) => member === part).map(({ from }) => from());
  const known = parts.filter((taken) => taken !== 'all').flat();
  return parts.includes('all') ? 'all' : new Set(known.map(({ member }) => member));
}

/** A member that is taken out of an object, and what is taken out of the member in turn. */
interface Taken {
  readonly member: string;
  from(): readonly Taken[] | 'all';
}

/**
 * Finds the members that are taken out of what a name or a pattern is bound to.
 *
 * @param scope where the name is used
 * @returns 'all' if the object is passed on, so that others may take any
 */
function takenFrom(binding: ts.BindingName, scope: ts.Node): readonly Taken[] | 'all' {
  if (ts.isArrayBindingPattern(binding)) return 'all';
  if (ts.isIdentifier(binding))
    return together(usesOf(binding.text, scope).map((use) => takenAt(use, scope)));
  return together(
    binding.elements.map(({ dotDotDotToken, propertyName, name }) => {
      const member = nameOf(propertyName ?? name);
      if (dotDotDotToken !== undefined || member === undefined) return 'all';
      return [{ member, from: () => takenFrom(name, scope) }];
    }),
  );
}

/** Finds the member that is taken where an object is used. */
function takenAt(use: ts.Expression, scope: ts.Node): readonly Taken[] | 'all' {
  const { parent } = use;
  if (ts.isVariableDeclaration(parent)) return takenFrom(parent.name, scope);
  const member = ts.isPropertyAccessExpression(parent)
    ? nameOf(parent.name)
    : ts.isElementAccessExpression(parent) && parent.expression === use
      ? nameOf(parent.argumentExpression)
      : undefined;
  return member === undefined ? 'all' : [{ member, from: () => takenAt(parent as ts.Expression, scope) }];
}

function together(all: readonly (readonly Taken[] | 'all')[]): readonly Taken[] | 'all' {
  return all.includes('all') ? 'all' : all.filter((one) => one !== 'all').flat();
}

function nameOf(node: ts.Node): string | undefined {
  return ts.isIdentifier(node) || ts.isStringLiteral(node) ? node.text : undefined;
}

/** Where a name is used below a node. A variable of the same name that hides it counts as a use, too. */
function usesOf(name: string, below: ts.Node): ts.Identifier[] {
  const uses: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === name && isExpression(node)) uses.push(node);
    ts.forEachChild(node, visit);
  };
  visit(below);
  return uses;
}

/** Whether an identifier stands for a value, and is not the name of a member or of a variable. */
function isExpression(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  const isNamed =
    ts.isPropertyAccessExpression(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isVariableDeclaration(parent);
  return !(isNamed && parent.name === node);
}
