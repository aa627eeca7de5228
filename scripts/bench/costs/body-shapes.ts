/** Bodies of 64 KiB, the limit of the contract, which no operation accepts. */

interface BodyShape {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

const bodyBytes = 65_536;

export const bodyShapes: readonly BodyShape[] = [
  shape('ones', '`[1,1,…]`', fill('[', '1', ',', ']')),
  shape('ones-in-name', '`{"id":1,"name":[1,1,…]}`', fill('{"id":1,"name":[', '1', ',', ']}')),
  shape('broken', '`[1,1,…` broken at its end', fill('[', '1', ',', '')),
  shape('members', '`{"a":1,"b":1,…}`', members('1')),
  shape('negative', '`[-1,-1,…]`', fill('[', '-1', ',', ']')),
  shape('empty-members', '`{"a":"","b":"",…}`', members('""')),
  shape('fractions', '`[1.5,1.5,…]`', fill('[', '1.5', ',', ']')),
  shape('objects', '`[{"a":1},…]`', fill('[', '{"a":1}', ',', ']')),
  shape('strings', '`["","",…]`', fill('[', '""', ',', ']')),
  shape('escapes', 'a name of escapes', fill('{"id":1,"name":"', '\\n', '', '"}')),
  shape('plain', 'a name without escapes', fill('{"id":1,"name":"', 'x', '', '"}')),
  shape('digits', 'one integer, which is refused', fill('', '1', '', '')),
];

/** White space at the end makes all of them equally long. */
function shape(name: string, title: string, text: string): BodyShape {
  return { name, title, text: text.padEnd(bodyBytes) };
}

function fill(begin: string, item: string, between: string, end: string): string {
  const count = (bodyBytes - begin.length - end.length + between.length) / (item.length + between.length);
  return begin + Array.from({ length: Math.floor(count) }, () => item).join(between) + end;
}

/** As many as fit, each of another name. */
function members(value: string): string {
  let text = `{"0":${value}`;
  for (let number = 1; ; number++) {
    const member = `,"${number.toString(36)}":${value}`;
    if (text.length + member.length >= bodyBytes) return `${text}}`;
    text += member;
  }
}
