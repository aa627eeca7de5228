import type { FoundChange } from './change.js';
import { compareContent } from './media.js';
import type { Node } from './node.js';
import { compareParameter } from './parameter.js';

export function compareResponses(base: Node, next: Node): FoundChange[] {
  const before = base.get('responses')?.members() ?? new Map<string, Node>();
  const after = next.get('responses')?.members() ?? new Map<string, Node>();
  return [
    ...[...before].flatMap(([status, response]) => {
      const known = after.get(status);
      if (known !== undefined) return compareResponse(response, known, status);
      const covering = coverOf(status, after);
      const at = response.use;
      return covering === undefined
        ? [{ part: '', status, breaking: !isError(status), at, what: 'removed' }]
        : [
            { part: '', status, breaking: false, at, what: 'no longer described on its own' },
            ...compareResponse(response, covering, status),
          ];
    }),
    ...[...after]
      .filter(([status]) => !before.has(status))
      .flatMap(([status, response]) => {
        const covering = coverOf(status, before);
        const at = response.use;
        return covering === undefined
          ? [{ part: '', status, breaking: !isError(status), adds: true, at, what: 'added' }]
          : [
              { part: '', status, breaking: false, at, what: 'described on its own now' },
              ...compareResponse(covering, response, status),
            ];
      }),
  ];
}

function compareResponse(base: Node, next: Node, status: string): FoundChange[] {
  return [
    ...compareHeaders(base, next, status),
    ...compareContent(base, next, 'response', { part: '', status }),
  ];
}

function compareHeaders(base: Node, next: Node, status: string): FoundChange[] {
  const before = headersOf(base);
  const after = headersOf(next);
  return [
    ...[...before].flatMap(([name, header]) => {
      const known = after.get(name);
      const part = partOf(header);
      return known === undefined
        ? [{ part, status, breaking: true, at: header.use, what: 'removed' }]
        : compareParameter(header, known, 'response', { part, status });
    }),
    ...[...after]
      .filter(([name]) => !before.has(name))
      .map(([, header]) => ({
        part: partOf(header),
        status,
        breaking: false,
        adds: true,
        at: header.use,
        what: 'added',
      })),
  ];
}

function partOf(header: Node): string {
  return `header \`${header.entry.at(-1)}\``;
}

/** Header names are case-insensitive; Content-Type is described by the media types. */
function headersOf(response: Node): Map<string, Node> {
  const members = [...(response.get('headers')?.members() ?? [])];
  return new Map(
    members
      .map(([name, node]) => [name.toLowerCase(), node] as const)
      .filter(([name]) => name !== 'content-type'),
  );
}

/** The entry for a status without one of its own. */
function coverOf(status: string, responses: ReadonlyMap<string, Node>): Node | undefined {
  return responses.get(`${status.charAt(0)}XX`) ?? responses.get('default');
}

/**
 * A client treats an unknown status as the first of its class (RFC 9110, section 15), so a new error breaks
 * nobody. A new success does: generated clients refuse it.
 */
function isError(status: string): boolean {
  return status === 'default' || /^[45]/.test(status);
}
