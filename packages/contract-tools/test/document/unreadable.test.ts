import t from 'tap';
import { readDocument } from '../../src/document/read-document.js';

const document = 'openapi: 3.0.3\ninfo: { title: Trains, version: 1.0.0 }\npaths: {}\n';

t.test('a file that cannot be read as a document is refused with the place and what to do', async (t) => {
  for (const [what, text, sentence] of [
    [
      'two documents',
      `${document}---\nsecond: document\n`,
      'a:4:1: another document begins here: keep one of them in this file.',
    ],
    [
      'JSON with a comment',
      '\n// It.\n{"openapi": "3.0.3"}',
      'a:2:1: JSON has no comments: take this one away.',
    ],
    [
      'JSON with a longer comment',
      '/* It. */ {"openapi": "3.0.3"}',
      'a:1:1: JSON has no comments: take this one away.',
    ],
    [
      'UTF-16, with a mark',
      Buffer.from(`\ufeff${document}`, 'utf16le').toString(),
      'a:1:1: this file is not UTF-8: save it as UTF-8.',
    ],
    [
      'UTF-16, without a mark',
      Buffer.from(document, 'utf16le').toString(),
      'a:1:1: this file is not UTF-8: save it as UTF-8.',
    ],
    ['a text', 'It.', 'a:1:1: an OpenAPI document is a map: begin it with "openapi: 3.0.3".'],
  ] as const)
    t.throws(() => readDocument(text, 'a'), { message: sentence }, what);
});
