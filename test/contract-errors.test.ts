import { readFile } from 'node:fs/promises';
import t from 'tap';
import { checkContract } from '../src/contract/check.js';
import { readContractText } from '../src/contract/document.js';
import { withExcerpts } from '../src/contract/excerpt.js';
import { contractFile } from '../src/project.js';

/** What is done to the contract of the plants, and all that must be said about it. */
const errors: readonly [name: string, old: string, next: string, said: string][] = [
  [
    'a key without its colon',
    'operationId: listPlants',
    'operationId',
    `openapi/plants.yaml:157:7: Implicit keys need to be on a single line: a ":" after the key is missing, or a bracket or quote before it is open.
  157 |       operationId
      |       ^`,
  ],
  [
    'a tab',
    '    post:\n',
    '\tpost:\n',
    'openapi/plants.yaml:59:1: Tabs are not allowed as indentation: write spaces.\n  59 | \tpost:\n     | ^',
  ],
  [
    'a misspelt type',
    '      type: integer\n      format: int64',
    '      type: integr\n      format: int64',
    `openapi/plants.yaml:276:13: "integr" is not allowed here: write integer.
  276 |       type: integr
      |             ^`,
  ],
  [
    'a list that is none',
    'required: [name]',
    'required: name',
    `openapi/plants.yaml:286:17: "name" is of the wrong type: write a list ("[…]" or "- …").
  286 |       required: name
      |                 ^`,
  ],
  [
    'what is missing',
    '          description: The plant is deleted.\n',
    '          x-description: Gone.\n',
    `openapi/plants.yaml:231:11: "description" is missing: add it.
  231 |           x-description: Gone.
      |           ^`,
  ],
  [
    'another version',
    'openapi: 3.0.3',
    'openapi: 3.1.0',
    `openapi/plants.yaml:5:10: this is not OpenAPI 3.0: write "openapi: 3.0.3".
  5 | openapi: 3.1.0
    |          ^`,
  ],
];

t.test(
  'a fault of the contract has its place, its line with a caret, and what to write instead',
  async (t) => {
    const good = await readFile(contractFile, 'utf8');
    for (const [name, old, next, said] of errors) {
      const text = good.replace(old, next);
      t.not(text, good);
      const failure = await readContractText(text, contractFile)
        .then(checkContract)
        .catch((error) => error);
      t.equal(
        withExcerpts(String(failure?.message), () => text),
        said,
        name,
      );
    }
  },
);

t.test('a place in a file that cannot be read keeps its sentence', async (t) => {
  t.equal(withExcerpts('main:plants.yaml:1:1: gone.'), 'main:plants.yaml:1:1: gone.');
  t.equal(withExcerpts('no place at all'), 'no place at all');
});
